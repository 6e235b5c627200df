// Last tiles whose k clusters share, by boxes: every layout and cluster, ends, batches, and sums that a
// second launch adds up.
#include "common/gemm_check.hpp"
#include "common/gemm_edges.hpp"
#include "common/gemm_random.hpp"

namespace fade::test {
namespace {

constexpr gemm_policy shared(int m, int n, int cluster) {
    return {.block_tile = {m, n, 64},
            .wave_tile = {16, n},
            .pipeline = block::pipeline_kind::tma_ring,
            .swizzle_rows = 4,
            .cluster = cluster,
            .schedule = gemm_schedule::stream_k};
}

template <gemm_policy Policy, operand_access Access, class In, class Out = In>
void check_tail(int cases) {
    static constexpr gemm_kernels kernels = with_policy(Policy, only(Access));
    holds(std::string(name(Access)) + " shares its last tiles", cases, [&] {
        const bool by_boxes = *rc::gen::arbitrary<bool>();  // else lanes store what has no aligned rows
        const index n = *rc::gen::inRange(1, 400);
        gemm_case c = aligned_case<Access>(*rc::gen::inRange(1, 400), by_boxes ? n / 8 * 8 + 8 : n,
                                           *rc::gen::inRange(1, 500));
        c.compute_units = *rc::gen::inRange(1, 24), c.threads = *rc::gen::inRange(1, 3);
        c.problem.batch = *rc::gen::element<index>(1, 1, 2), c.split_k = *rc::gen::inRange(0, 2);
        c.problem.alpha = *rc::gen::element(1.0, -2.0), c.problem.beta = *rc::gen::element(0.0, 3.0);
        c.shift_d = by_boxes ? 0 : *rc::gen::inRange<index>(0, 9);
        lay_out(c.problem, 8 * *rc::gen::inRange<index>(0, 3), 8 * *rc::gen::inRange<index>(0, 3));
        if (*rc::gen::arbitrary<bool>()) c.stages.push_back(random_stage());
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        must_be_right(c, check_gemm<arch::sm_90a, In, Out, kernels>(c));
    });
}

TEST_CASE("alone and in clusters, in every layout") {
    check_tail<shared(64, 64, 1), operand_access::nt, bf16>(12);
    check_tail<shared(128, 64, 2), operand_access::nn, f16>(12);
    check_tail<shared(64, 64, 2), operand_access::tn, f16, float>(8);
    check_tail<shared(64, 128, 4), operand_access::tt, bf16>(12);
}

/// Without stages that are looked up while the kernel runs: results leave by boxes, in other passes than
/// sums. Of 250 columns in rows of 252 the copy unit would write two more.
template <gemm_policy Policy, class In, class Out>
void check_plain(index m, index n, index k, index more) {
    gemm_case c = aligned_case<operand_access::nt>(m, n, k);
    c.problem.batch = 2, c.problem.ldd = c.problem.n + more, c.seed = std::random_device{}();
    c.problem.stride_d = c.problem.m * c.problem.ldd;
    INFO(c);
    gemm_data<In, Out> data(c);
    emulated_device<arch::sm_90a> device({.threads = 2, .compute_units = 6});
    CHECK(outcome<with_policy(Policy, only(operand_access::nt))>(device, data, epilogue::none{}) == "");
}
TEST_CASE("without an epilogue, in rows of any alignment") {
    for (const index more : {8, 3, 2}) {
        check_plain<shared(64, 64, 1), f16, f16>(320, 128, 264, more);
        check_plain<shared(64, 128, 2), bf16, float>(450, 250, 328, more);
    }
}

TEST_CASE("a plan of them") {
    alignas(16) static f16 memory[1];  // a plan touches no memory
    emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 8});
    const auto planned = [&](index m, index n, index k) {
        return plan_gemm<f16, f16, with_policy(shared(64, 64, 2), only(operand_access::nt))>(
            device, {.m = m, .n = n, .k = k, .layout = gemm_layout::nt},
            {.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)});
    };
    const gemm_plan even = planned(512, 64, 256), tail = planned(640, 64, 256);
    CHECK((even.launches.size() == 1 && even.workspace_bytes == 0));
    // Four clusters of two tiles each make four of the five; the steps of the fifth are theirs together.
    REQUIRE(tail.launches.size() == 2);
    CHECK(tail.launches[0].grid[0] == 8);
    CHECK(tail.launches[1].grid[2] == 2);
    CHECK(tail.workspace_bytes == (4 + 1) * 2 * 64 * 64 * 4);
    CHECK(tail.report.chosen.find(", stream_k") != std::string::npos);
}

TEST_CASE("where last tiles cannot be shared, a report says so or a call is refused") {
    const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };
    const auto planned = [&](int compute_units, const gemm_problem& p, int split_k, int shift) {
        emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = compute_units});
        return plan_gemm<f16, f16,
                         with_policy(shared(64, 64, 2), only(operand_access::tn, operand_access::strided))>(
            device, p, {.a = at(20) + shift, .b = at(45), .d = at(46)}, epilogue::none{},
            {.split_k = split_k});
    };
    const gemm_problem some{.m = 640, .n = 64, .k = 256, .layout = gemm_layout::tn};
    const report odd = planned(8, some, 1, 1).report;
    CHECK((odd.fallback && odd.chosen.find("stream_k") == std::string::npos));
    CHECK(odd.why.find("tma_ring cannot copy such operands, so double_buffer does, whose schedule is tiles "
                       "instead of stream_k") != std::string::npos);
    for (const int shift : {0, 1})  // whatever operands are
        CHECK_THROWS_WITH(
            planned(8, some, 2, shift),
            "split_k is 2, but stream_k shares the k of the last tiles by itself: let split_k be "
            "1, or the schedule of the gemm_policy tiles");
    // More steps than are counted, of matrices that no memory holds.
    const auto deep = [](index clusters) {
        return gemm_problem{.m = clusters * 128, .n = 64, .k = 1 << 25, .layout = gemm_layout::tn};
    };
    CHECK(planned(1 << 20, deep(2047), 1, 0).launches.size() == 2);
    CHECK_THROWS_WITH(planned(1 << 20, deep(2048), 1, 0),
                      "k is 33554432, but clusters share at most 2^30 - 1 steps of the last tiles: let the "
                      "schedule of the gemm_policy be tiles");
}

}  // namespace
}  // namespace fade::test
