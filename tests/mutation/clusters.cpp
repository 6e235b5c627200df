// Fails when a product whose k the workgroups of a cluster share is wrong. Exit 1 at the first that is.
#include "common/gemm_edges.hpp"
#include <cstdio>

using namespace fade;

namespace {

constexpr gemm_policy three{.block_tile = {64, 64, 64},
                            .wave_tile = {16, 64},
                            .pipeline = block::pipeline_kind::tma_ring,
                            .cluster_k = 3};
int failures = 0;

void check(test::gemm_case c) {
    if (failures) return;
    static constexpr gemm_kernels kernels = with_policy(three, only(operand_access::nt, operand_access::tn));
    std::string wrong;
    try {
        wrong = test::check_gemm<arch::sm_90a, f16, f16, kernels>(c);
    } catch (const std::exception& e) {
        wrong = e.what();
    }
    if (wrong.empty()) return;
    ++failures;
    std::printf("%s\n", wrong.substr(0, 200).c_str());
}

/// Fewer steps than workgroups, slices that differ, several tiles, and parts of k beside the slices.
void check_all(gemm_layout layout) {
    for (const fade::index k : {8, 128, 200, 456})
        check(test::case_of({layout, true, true}, {72, 136, k}, 3));
    auto c = test::case_of({layout, true, true}, {40, 72, 456}, 5);
    c.problem.batch = 2, c.problem.beta = 0.75;
    check(c);
    c.split_k = 2;
    check(c);
}

}  // namespace

int main() {
    check_all(gemm_layout::nt), check_all(gemm_layout::tn);
    return failures != 0;
}
