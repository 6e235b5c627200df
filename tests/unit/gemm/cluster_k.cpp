// Workgroups of a cluster that share the k of a tile: every layout, fewer steps than workgroups, slices that
// are not alike, what lies beside a tile, batches, all ends, and parts of k that a second launch adds up.
#include "common/gated_trial.hpp"
#include "common/gemm_edges.hpp"
#include "common/gemm_random.hpp"

namespace fade::test {
namespace {

constexpr gemm_policy together(int m, int n, int ranks) {
    return {.block_tile = {m, n, 64},
            .wave_tile = {16, n},
            .pipeline = block::pipeline_kind::tma_ring,
            .cluster_k = ranks};
}

/// Depths around those of as many steps as there are workgroups, then random problems.
template <gemm_policy Policy, operand_access Access, class In, class Out = In>
void check_cluster(int cases) {
    static constexpr gemm_kernels kernels = with_policy(Policy, only(Access));
    constexpr tile_shape tile = Policy.block_tile;
    constexpr int ranks = Policy.cluster_k;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    int i = 0;
    for (const index k : {8, 64, 64 * (ranks - 1), 64 * ranks, 64 * ranks + 8, 64 * (2 * ranks + 1) - 8}) {
        const index m[] = {1, tile.m, tile.m + 8}, n[] = {tile.n, tile.n - 8, tile.n + 1};
        gemm_case c = aligned_case<Access>(m[i % 3], n[i / 2 % 3], k);
        ++i, c.seed = random();
        INFO(c);
        CHECK(check_gemm<arch::sm_90a, In, Out, kernels>(c) == "");
    }
    holds(std::string(name(Access)) + " by clusters of " + std::to_string(ranks), cases, [&] {
        gemm_case c = aligned_case<Access>(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 280),
                                           *rc::gen::inRange(1, 900));
        c.problem.batch = *rc::gen::element<index>(1, 1, 2), c.split_k = *rc::gen::element(1, 1, 2, 3);
        c.problem.alpha = *rc::gen::element(1.0, -2.0), c.problem.beta = *rc::gen::element(0.0, 3.0);
        c.shift_d = *rc::gen::inRange<index>(0, 9);
        lay_out(c.problem, 8 * *rc::gen::inRange<index>(0, 3), 8 * *rc::gen::inRange<index>(0, 3));
        if (*rc::gen::arbitrary<bool>()) c.stages.push_back(random_stage());
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        must_be_right(c, check_gemm<arch::sm_90a, In, Out, kernels>(c));
    });
}

/// The plan of a product by a policy.
template <gemm_policy Policy>
gemm_plan planned(index m, index n, index k, int split_k = 1) {
    alignas(16) static f16 memory[1];  // a plan touches no memory
    emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 132});
    return plan_gemm<f16, f16, with_policy(Policy, only(operand_access::nt))>(
        device, {.m = m, .n = n, .k = k, .layout = gemm_layout::nt},
        {.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)}, epilogue::none{},
        {.split_k = split_k});
}

TEST_CASE("clusters of two, four and eight, in every layout") {
    check_cluster<together(64, 128, 8), operand_access::nt, bf16>(6);
    check_cluster<together(128, 64, 4), operand_access::nn, f16>(6);
    check_cluster<together(64, 64, 2), operand_access::tn, f16, float>(6);
    check_cluster<together(128, 128, 3), operand_access::tt, bf16>(6);
}
TEST_CASE("sums of 8-bit types") {
    static constexpr gemm_policy bytes{.block_tile = {64, 128, 128},
                                       .wave_tile = {16, 128},
                                       .pipeline = block::pipeline_kind::tma_ring,
                                       .cluster_k = 4};
    static constexpr gemm_kernels kernels = with_policy(bytes, only(operand_access::nt));
    for (const index k : {16, 512, 784}) {
        gemm_case c = aligned_case<operand_access::nt>(70, 136, k);
        c.seed = std::random_device{}();
        INFO(c);
        CHECK(check_gemm<arch::sm_90a, i8, i32, kernels>(c) == "");
        CHECK(check_gemm<arch::sm_90a, f8e4m3, bf16, kernels>(c) == "");
    }
}

TEST_CASE("without an epilogue, in rows of any alignment") {
    static constexpr gemm_kernels kernels = with_policy(together(64, 128, 4), only(operand_access::nt));
    for (const index more : {8, 3}) {
        gemm_case c = aligned_case<operand_access::nt>(100, 250, 328);
        c.problem.batch = 2, c.problem.ldd = c.problem.n + more, c.seed = std::random_device{}();
        c.problem.stride_d = c.problem.m * c.problem.ldd;
        INFO(c);
        gemm_data<f16, f16> data(c);
        emulated_device<arch::sm_90a> device({.threads = 2});
        CHECK(outcome<kernels>(device, data, epilogue::none{}) == "");
    }
}
TEST_CASE("gates, and the largest magnitude") {
    static constexpr gemm_kernels kernels = with_policy(together(64, 128, 4), only(operand_access::nt));
    for (const int split_k : {1, 2}) {
        gated_case c{.problem = {.m = 70, .n = 150, .k = 600, .layout = gemm_layout::nt, .batch = 2},
                     .kind = 0,
                     .split_k = split_k,
                     .packed = true,
                     .seed = std::random_device{}()};
        c.problem.ldd = 75, c.problem.stride_d = 70 * 75;
        INFO(c);
        CHECK(gated_trial<bf16, bf16>(c).run<arch::sm_90a, kernels>(swiglu()) == "");
    }
    gemm_case c = aligned_case<operand_access::nt>(70, 150, 600);
    c.seed = std::random_device{}();
    gemm_data<f16, float> data(c);
    data.poison_output();
    const auto largest = std::make_unique<float>();
    float seen = 0;
    emulated_device<arch::sm_90a> device({.threads = 2});
    gemm<f16, float, kernels>(device, c.problem, data.operands(), amax(largest.get()));
    data.d.each([&](index b, index i, index j) { seen = std::max(seen, std::fabs(data.d.at(b, i, j))); });
    CHECK(seen > 0);
    CHECK(*largest == seen);
}

TEST_CASE("one launch, no workspace, and a report that says so") {
    const gemm_plan plan = planned<together(64, 128, 4)>(64, 4096, 4096);
    CHECK(plan.launches.size() == 1);
    CHECK(plan.workspace_bytes == 0);
    CHECK(plan.launches[0].grid[0] == 32 * 4);
    CHECK(plan.report.chosen == "gemm_nt_passed 64x128x64, tma_ring, k shared in clusters of 4");
    CHECK(plan.report.requested.find("cluster_k 4") != std::string::npos);
    const gemm_plan both = planned<together(64, 128, 4)>(64, 4096, 4096, 2);  // asked for: two launches
    CHECK(both.launches.size() == 2);
    CHECK(both.launches[0].grid[0] == 32 * 4 * 2);
    CHECK(both.workspace_bytes == 64 * 4096 * 2 * 4);
    CHECK(both.report.chosen ==
          "gemm_nt_passed 64x128x64, tma_ring, k shared by 2, k shared in clusters of 4");
}

/// What a call without a policy gets, by policies that are passed: edges of small tiles, and of those whose
/// clusters share k.
template <gemm_policy Policy, operand_access Access>
void check_table() {
    static constexpr gemm_kernels kernels = with_policy(Policy, only(Access));
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const extent& e : edges_of(Policy)) {
        gemm_case c = case_of({gemm_layout(int(Access)), true, true}, e, random());
        c.compute_units = 64;
        INFO(c);
        CHECK(check_gemm<arch::sm_90a, bf16, bf16, kernels>(c) == "");
    }
}
TEST_CASE("tiles of the table") {
    constexpr tune::gemm_row row = tune::gemm_rows<arch::sm_90a, bf16>::row;
    check_table<row.small, operand_access::nt>(), check_table<row.small, operand_access::tn>();
    check_table<row.tall, operand_access::nn>(), check_table<row.tall, operand_access::nt>();
    check_table<row.flat_quad, operand_access::nn>(), check_table<row.flat_quad, operand_access::tt>();
    check_table<row.clustered, operand_access::nn>(), check_table<row.clustered, operand_access::nt>();
    check_table<row.flat_clustered, operand_access::tt>(), check_table<row.deep, operand_access::tn>();
    check_table<row.medium, operand_access::nn>(), check_table<row.medium, operand_access::nt>();
}
TEST_CASE("a call without a policy shares k in a cluster") {
    static constexpr gemm_kernels kernels = only(operand_access::nt);
    for (const index m : {40, 72}) {
        gemm_case c = aligned_case<operand_access::nt>(m, 72, 64 * 50);
        c.problem.beta = 0.5, c.seed = std::random_device{}(), c.compute_units = 8;
        INFO(c);
        CHECK(check_gemm<arch::sm_90a, bf16, bf16, kernels>(c) == "");
    }
}

constexpr gemm_policy with(gemm_policy policy, int cluster, int cluster_k, block::pipeline_kind pipeline) {
    policy.cluster = cluster, policy.cluster_k = cluster_k, policy.pipeline = pipeline;
    return policy;
}
TEST_CASE("which policies share k in a cluster") {
    using enum block::pipeline_kind;
    using kernel::gemm_misfit;
    constexpr gemm_policy some = together(128, 128, 1);
    using h = arch::sm_90a;
    CHECK(kernel::misfit_of<h, f16, with(some, 1, 8, tma_ring)>() == gemm_misfit::none);
    CHECK(kernel::misfit_of<h, f16, with(some, 1, 9, tma_ring)>() == gemm_misfit::cluster_k);
    CHECK(kernel::misfit_of<h, f16, with(some, 1, 0, tma_ring)>() == gemm_misfit::cluster_k);
    CHECK(kernel::misfit_of<h, f16, with(some, 2, 2, tma_ring)>() == gemm_misfit::cluster_k);
    CHECK(kernel::misfit_of<h, f16, with(some, 1, 2, async_ring)>() == gemm_misfit::cluster_k);
    CHECK(kernel::misfit_of<h, f16, together(256, 256, 2)>() == gemm_misfit::cluster_k);  // sums of 256 KiB
    CHECK(
        kernel::misfit_of<arch::gfx942, f16,
                          gemm_policy{.block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .cluster_k = 2}>() ==
        gemm_misfit::cluster_k);
}

}  // namespace
}  // namespace fade::test
