// Few rows and columns that a launch copies along k before the product.
#include "common/gemm_check.hpp"
#include "common/gemm_random.hpp"

namespace fade::test {
namespace {

/// By the kernels of products along k, and of what the copy makes of others.
constexpr gemm_kernels kernels =
    only(operand_access::nn, operand_access::nt, operand_access::tn, operand_access::tt);

gemm_plan planned(const gemm_problem& p, int compute_units, const gemm_options& options = {}) {
    auto device = device_of<arch::sm_90a>(1, compute_units);
    const auto at = [](int i) {
        return reinterpret_cast<bf16*>(std::uintptr_t(i) << 32);
    };  // none is touched
    return plan_gemm<bf16, bf16, kernels>(device, p, {.a = at(1), .b = at(2), .d = at(3)}, {}, options);
}

}  // namespace

TEST_CASE("few that lie along m or n are copied along k first") {
    holds("few that are transposed", 24, [] {
        gemm_case c;
        auto& p = c.problem;
        p.layout = *rc::gen::element(gemm_layout::nn, gemm_layout::tn, gemm_layout::tt);
        const bool columns = !b_transposed(p.layout);
        const index few = *rc::gen::element<index>(1, 2, 3, 7, 8, 13, 16, columns ? 32 : 5),
                    many = 8 * *rc::gen::inRange<index>(24, 40);
        (columns ? p.n : p.m) = few, (columns ? p.m : p.n) = many;
        p.k = 8 * *rc::gen::inRange<index>(128, 150);  // 384 KiB stream past them
        p.batch = *rc::gen::element<index>(1, 1, 2);
        p.alpha = *rc::gen::element(1.0, -2.0), p.beta = *rc::gen::element(0.0, 3.0);
        c.split_k = *rc::gen::element(1, 0, 2), c.compute_units = 1;
        c.shift_d = *rc::gen::inRange<index>(0, 9);
        lay_out(p, 0, 0);
        // Of the few nothing need be aligned, and there are gaps between their lines.
        (columns ? p.ldb : p.lda) = few + *rc::gen::inRange<index>(1, 6);
        (columns ? p.stride_b : p.stride_a) = *rc::gen::element<index>(0, p.k * (few + 5) + 3);
        (columns ? c.shift_b : c.shift_a) = *rc::gen::inRange<index>(0, 9);
        if (*rc::gen::arbitrary<bool>()) c.stages.push_back(random_stage());
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        gemm_data<bf16, bf16> data(c);
        auto device = device_of<arch::sm_90a>(1, 1);
        const auto plan =
            plan_gemm<bf16, bf16, kernels>(device, p, data.operands(), {}, {.split_k = c.split_k});
        RC_ASSERT(plan.launches.size() >= 2);
        RC_ASSERT(plan.report.why.find("along k") != std::string::npos);
        must_be_right(c, check_gemm<arch::sm_90a, bf16, bf16, kernels>(c));
    });
}

TEST_CASE("which few are copied, what it needs, and what the report says") {
    const gemm_problem wide{.m = 8192, .n = 8, .k = 8192, .layout = gemm_layout::nn};
    const gemm_plan plan = planned(wide, 132);
    CHECK(plan.launches.size() == 2);
    CHECK(plan.report.requested.starts_with("gemm nn 8192 x 8 x 8192"));
    CHECK(plan.report.chosen.starts_with("gemm_nt_flat"));
    CHECK(plan.report.why.ends_with(
        "; 8 columns of B lie along n, so a launch before the product copies them along k"));
    CHECK(plan.workspace_bytes == 8 * 8192 * 2);
    CHECK_THROWS_WITH_AS(([&] {
                             alignas(16) static char small[16];
                             auto device = device_of<arch::sm_90a>(1, 132);
                             const auto at = [](int i) {
                                 return reinterpret_cast<bf16*>(std::uintptr_t(i) << 32);
                             };
                             gemm<bf16, bf16, kernels>(device, wide, {.a = at(1), .b = at(2), .d = at(3)}, {},
                                                       {.workspace = small, .workspace_bytes = sizeof small});
                         }()),
                         doctest::Contains("a copy of B along k needs"), error);
    const auto launches = [](gemm_layout layout, fade::index m, fade::index n, fade::index k,
                             fade::index ld = 0) {
        gemm_problem p{.m = m, .n = n, .k = k, .layout = layout};
        (n < m ? p.ldb : p.lda) = ld;
        return planned(p, 132).launches.size();
    };
    CHECK(launches(gemm_layout::tn, 8192, 3, 8192) == 2);
    CHECK(launches(gemm_layout::tt, 3, 8192, 8192) == 2);
    CHECK(launches(gemm_layout::tn, 3, 8192, 8192) == 2);
    CHECK(launches(gemm_layout::nt, 3, 8192, 8192) == 1);  // lies along k
    CHECK(launches(gemm_layout::nn, 8192, 1, 8192) == 1);  // a vector does
    CHECK(launches(gemm_layout::nn, 8192, 1, 8192, 5) == 2);
    CHECK(launches(gemm_layout::nn, 8192, 32, 8192) == 2);
    CHECK(launches(gemm_layout::tn, 32, 8192, 8192) == 1);  // boxes of rows that lie along m are as fast
    CHECK(launches(gemm_layout::nn, 4096, 16, 4096) == 2);
    CHECK(launches(gemm_layout::nn, 4096, 24, 4096) == 2);  // lines begin between multiples of 32 bytes
    CHECK(launches(gemm_layout::nn, 4096, 24, 4096, 32) == 1);
    CHECK(launches(gemm_layout::tn, 40, 8192, 8192) == 2);
    CHECK(launches(gemm_layout::nn, 8192, 32, 8192, 40) == 2);
    CHECK(planned({.m = 8192, .n = 1, .k = 8192, .layout = gemm_layout::tn}, 132)
              .report.chosen.starts_with("gemm_tt_flat "));  // a vector lies along k, whatever it is called
    CHECK(launches(gemm_layout::nn, 8192, 48, 8192) == 1);   // no longer few
    CHECK(launches(gemm_layout::nn, 2048, 8, 2048) == 1);    // is read sooner than a launch begins
    gemm_problem odd{.m = 8192, .n = 8, .k = 8190, .layout = gemm_layout::nn};
    lay_out(odd, 2, 0);
    const auto* some = reinterpret_cast<const void*>(256);
    const auto transposed_now = [&] { return tune::transposed_of(odd, some, some, 2, 132, kernels); };
    CHECK(transposed_now() == tune::transposed_operand::none);  // no whole runs
    odd.k = 8192;
    CHECK(transposed_now() == tune::transposed_operand::b);
    const auto without = tune::transposed_of(odd, some, some, 2, 132, only(operand_access::nn));
    CHECK(without == tune::transposed_operand::none);  // the kernel that reads both along k is not there
}

}  // namespace fade::test
