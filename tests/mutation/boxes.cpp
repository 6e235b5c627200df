// Fails when a product of boxes is wrong: workgroups that stay, a producer beside them, results that leave by
// boxes, by rows and by elements. Exit 1 at the first that is.
#include "common/gemm_edges.hpp"
#include <cstdio>

using namespace fade;

namespace {

constexpr gemm_policy one{.block_tile = {64, 128, 64},
                          .wave_tile = {16, 128},
                          .pipeline = block::pipeline_kind::tma_ring,
                          .swizzle_rows = 2};
constexpr gemm_policy pair{.block_tile = {128, 256, 64},
                           .wave_tile = {16, 256},
                           .pipeline = block::pipeline_kind::tma_ring,
                           .cluster = 2};
/// Of 8-bit floats, whose sums leave the matrix unit after each step.
constexpr gemm_policy narrow{
    .block_tile = {64, 128, 128}, .wave_tile = {16, 128}, .pipeline = block::pipeline_kind::tma_ring};
int failures = 0;

template <gemm_policy Policy, class In = f16, operand_access... Accesses>
void check(test::gemm_case c, int compute_units) {
    if (failures) return;
    static constexpr gemm_kernels kernels = with_policy(Policy, only(operand_access::nt, Accesses...));
    c.compute_units = compute_units;
    std::string wrong;
    try {
        wrong = test::check_gemm<arch::sm_90a, In, f16, kernels>(c);
    } catch (const std::exception& e) {
        wrong = e.what();
    }
    if (wrong.empty()) return;
    ++failures;
    std::printf("%s\n", wrong.substr(0, 200).c_str());
}

/// Several tiles a workgroup, depths around those of a ring, and what a call may ask for.
template <gemm_policy Policy>
void check_all(gemm_layout layout) {
    const auto& t = Policy.block_tile;
    for (const fade::index k : {8, 64, 72, 520})
        check<Policy, f16, operand_access::tn>(
            test::case_of({layout, true, true}, {2 * t.m + 8, 2 * t.n - 8, k}, 3), 2);
    auto c = test::case_of({layout, true, true}, {3 * t.m - 40, t.n + 8, 200}, 5);
    c.problem.alpha = -1.5;
    check<Policy, f16, operand_access::tn>(c, 3);
    c.problem.batch = 3;
    check<Policy, f16, operand_access::tn>(c, 2);
    c.split_k = 2;
    check<Policy, f16, operand_access::tn>(c, 2);
    c.split_k = 1, c.problem.beta = 0.75;
    check<Policy, f16, operand_access::tn>(c, 2);
    c.problem.stride_b = 0;  // one matrix for all batches
    check<Policy, f16, operand_access::tn>(c, 2);
    c.problem.ldd = c.problem.n + 3, c.problem.stride_d = c.problem.m * c.problem.ldd,
    c.problem.ldc = c.problem.ldd, c.problem.stride_c = c.problem.stride_d;
    check<Policy, f16, operand_access::tn>(c, 2);
    c.problem.beta = 0;
    check<Policy, f16, operand_access::tn>(c, 2);
}

void check_narrow() {
    for (const fade::index k : {16, 128, 272, 1040})
        check<narrow, f8e4m3>(test::case_of({gemm_layout::nt, true, true, 16}, {136, 240, k}, 3), 2);
}

/// Without an epilogue sums go to boxes as they are, or, where rows of D are not aligned, leave by elements.
void check_plain() {
    static constexpr gemm_kernels kernels = with_policy(one, only(operand_access::nt));
    for (const bool aligned : {true, false}) {
        auto c = test::case_of({gemm_layout::nt, true, true}, {136, 248, 72}, 5);
        c.problem.batch = 2, c.problem.ldd = c.problem.n + (aligned ? 8 : 3);
        c.problem.stride_d = c.problem.m * c.problem.ldd;
        test::gemm_data<f16, f16> data(c);
        emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 2});
        const std::string wrong = test::outcome<kernels>(device, data, epilogue::none{});
        if (!wrong.empty() && !failures++) std::printf("without an epilogue: %s\n", wrong.c_str());
    }
}

}  // namespace

int main() {
    check_narrow(), check_plain();
    check_all<one>(gemm_layout::nt), check_all<one>(gemm_layout::tn);
    check_all<pair>(gemm_layout::nt), check_all<pair>(gemm_layout::tn);
    return failures != 0;
}
