// Element types beside f32 and the 16-bit ones, on architectures that differ in how they multiply them.
#include "common/gemm_suite.hpp"

using namespace fade;

namespace {

/// One layout and the kernels for unaligned operands: what differs from other types is the atom and the
/// conversions.
template <class Arch, class In, class Out>
void check_type() {
    static constexpr auto kernels = only(operand_access::nt, operand_access::strided);
    constexpr int run = std::max<int>(16 / int(sizeof(In)), 8);
    auto random = test::fresh_random();
    for (const bool large : {false, true})
        test::check_edges<Arch, In, Out, kernels>({gemm_layout::nt, large, true, run}, random);
    test::holds(std::string(Arch::traits.name) + " " + input_name<In>(), 60, [] {
        auto c = test::random_case({gemm_layout::nt}, run);
        if (std::is_integral_v<In>)
            c.stages.clear(), c.problem.alpha = 3, c.problem.beta = c.problem.beta ? -2 : 0;
        test::must_be_right(c, test::check_gemm<Arch, In, Out, kernels>(c));
    });
}

}  // namespace

TEST_CASE("f64") {
    check_type<arch::host, f64, f64>();
    check_type<arch::gfx90a, f64, f64>();
}
TEST_CASE("i8") {
    check_type<arch::host, i8, i32>();
    check_type<arch::gfx942, i8, i32>();
    check_type<arch::gfx1030, i8, i32>();
    check_type<arch::gfx1100, i8, i32>();
}
TEST_CASE("8-bit floating point") {
    check_type<arch::host, f8e5m2, bf16>();
    check_type<arch::gfx942, f8e4m3fnuz, bf16>();
    check_type<arch::gfx950, f8e5m2, f32>();
    check_type<arch::gfx1201, f8e4m3, bf16>();
}
TEST_CASE("8-bit floating point of two types") {
    check_type<arch::host, operand_pair<f8e4m3, f8e5m2>, bf16>();
    check_type<arch::gfx942, operand_pair<f8e5m2fnuz, f8e4m3fnuz>, bf16>();
    check_type<arch::gfx950, operand_pair<f8e4m3, f8e5m2>, f32>();
    check_type<arch::gfx1201, operand_pair<f8e5m2, f8e4m3>, bf16>();
}
