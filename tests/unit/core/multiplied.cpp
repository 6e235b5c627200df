// The architectures that sentences of the compiler name are those that multiply a type.
#include <doctest/doctest.h>
#include <fade/arch/arch_list.hpp>
#include <fade/arch/multiplies.hpp>
#include <string>

using namespace fade;

namespace {

template <class In, class... Archs>
std::string that_multiply(arch::arch_list<Archs...>) {
    std::string names;
    ((names += arch::has_atom<Archs, In> ? std::string(Archs::traits.name) + " " : ""), ...);
    return names;
}

template <class... Archs>
bool all_multiply_what_is_advised(arch::arch_list<Archs...>) {
    return ((arch::has_atom<Archs, float> && arch::has_atom<Archs, f16> && arch::has_atom<Archs, bf16>) &&
            ...);
}

}  // namespace

TEST_CASE("sentences name the architectures that multiply a type") {
    CHECK_EQ(that_multiply<double>(arch::amd{}), "gfx90a gfx942 gfx950 ");
    CHECK_EQ(that_multiply<f8e4m3fnuz>(arch::amd{}), "gfx942 ");
    CHECK_EQ(that_multiply<f8e5m2fnuz>(arch::amd{}), "gfx942 ");
    CHECK_EQ(that_multiply<f8e4m3>(arch::amd{}), "gfx950 gfx1200 gfx1201 ");
    CHECK_EQ(that_multiply<f8e5m2>(arch::amd{}), "gfx950 gfx1200 gfx1201 ");
    CHECK_EQ(that_multiply<i32>(arch::amd{}), "");
    CHECK(all_multiply_what_is_advised(arch::amd{}));
    using nvidia = arch::arch_list<arch::sm_80, arch::sm_90a>;
    CHECK_EQ(that_multiply<double>(nvidia{}) + that_multiply<i8>(nvidia{}), "sm_80 sm_90a sm_80 sm_90a ");
    CHECK_EQ(that_multiply<f8e4m3>(nvidia{}) + that_multiply<f8e5m2>(nvidia{}), "sm_80 sm_90a sm_80 sm_90a ");
    CHECK_EQ(that_multiply<f8e4m3fnuz>(nvidia{}) + that_multiply<f8e5m2fnuz>(nvidia{}), "");
    CHECK(all_multiply_what_is_advised(nvidia{}));
}
