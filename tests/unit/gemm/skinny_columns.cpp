#include "common/gated_trial.hpp"
#include "common/skinny_suite.hpp"

using namespace fade;
using enum operand_access;

namespace {

template <class Arch, class In, class Out = In, operand_access Access = nt>
void check(int cases) {
    test::skinny_suite<Arch, In, Out, Access, test::few::columns>(cases);
}

}  // namespace

TEST_CASE("both along k") {
    check<arch::gfx942, f16>(20), check<arch::gfx1100, bf16>(10), check<arch::gfx1030, f16>(10);
    check<arch::gfx1201, f8e4m3, f16>(10), check<arch::gfx90a, double>(10), check<arch::sm_90a, bf16>(10);
    check<arch::gfx942, i8, i32>(10), check<arch::sm_80, float>(10);
}
TEST_CASE("a vector lies along k in both layouts") {
    test::holds("vectors", 20, [] {
        test::gemm_case c;
        c.problem = {.m = *rc::gen::inRange(40, 120), .n = 1, .k = 8 * *rc::gen::inRange(40, 100)};
        c.problem.batch = *rc::gen::element(1, 2), c.problem.beta = *rc::gen::element(0.0, 2.0);
        test::lay_out(c.problem, 0, 0);
        if (*rc::gen::arbitrary<bool>()) c.problem.ldb = 3, c.problem.stride_b = 3 * c.problem.k;
        if (*rc::gen::arbitrary<bool>())
            c.problem.ldc = c.problem.ldd = 5, c.problem.stride_c = 600, c.problem.stride_d = 600;
        c.split_k = *rc::gen::element(1, 2), c.shift_b = *rc::gen::element(0, 0, 1);
        c.stages.push_back(test::random_stage());
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        test::must_be_right(c, test::check_gemm<arch::gfx942, f16, f16, only(nn, nt)>(c));
    });
}
TEST_CASE("gates join neighbours in rows of D") {
    test::holds("gates of few columns", 10, [] {
        test::gated_case c{};
        c.problem = {.m = *rc::gen::inRange(33, 120),
                     .n = 2 * *rc::gen::inRange(1, 17),
                     .k = 8 * *rc::gen::inRange(40, 100),
                     .layout = gemm_layout::nt};
        c.problem.ldd = c.problem.n / 2 + *rc::gen::inRange(0, 4);
        c.problem.stride_d = c.problem.m * c.problem.ldd;
        c.split_k = *rc::gen::element(1, 3);
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        test::must_be_right(c, test::gated_trial<f16, f16>(c).run<arch::gfx942>(fade::swiglu()));
        test::must_be_right(c, test::gated_trial<f16, f16>(c).run<arch::gfx1030>(fade::swiglu()));
    });
}
