// Which architectures one suite stands for: those with the same traits, atoms and policies, at compile time.
// A suite is the file of that name in unit/gemm and unit/attention; an architecture without one must have a
// twin here.
#include "common/alike.hpp"
#include <doctest/doctest.h>
#include <string>

using namespace fade;
using namespace fade::arch;

namespace {

/// One suite, and whom it stands for beside its own.
template <class Suite, class... Twins>
struct stands_for {
    static_assert((test::alike<Suite, Twins> && ...));
    static constexpr bool covers(std::string_view name) {
        return name == Suite::traits.name || ((name == Twins::traits.name) || ...);
    }
};

template <class... Suites>
constexpr bool covered(std::string_view name) {
    return (Suites::covers(name) || ...);
}

bool has_suite(std::string_view name) {
    return covered<stands_for<gfx906>, stands_for<gfx908>, stands_for<gfx90a>, stands_for<gfx942>,
                   stands_for<gfx950>, stands_for<gfx1030>, stands_for<gfx1100, gfx1101, gfx1151>,
                   stands_for<gfx1150, gfx1102>, stands_for<gfx1201, gfx1200>, stands_for<gfx1250>>(name);
}

template <class... Archs>
std::string without_suite(arch_list<Archs...>) {
    std::string out;
    ((has_suite(Archs::traits.name) ? out : out.append(Archs::traits.name).append(" ")), ...);
    return out;
}

static_assert(!test::alike<gfx1100, gfx1150> && !test::alike<gfx1100, gfx1201>);
static_assert(!test::alike<gfx90a, gfx942> && !test::alike<gfx908, gfx90a> && !test::alike<gfx1201, gfx1250>);

}  // namespace

TEST_CASE("every architecture has a suite, its own or that of one that is alike") {
    CHECK(without_suite(amd{}) == "");
}
