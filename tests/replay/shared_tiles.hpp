// Products by stream-k, captured as launches on an architecture would be.
#pragma once
#include "problems.hpp"
#include <random>

namespace fade::replay {

/// The table's small tiles, of which workgroups share the last.
template <class Arch>
constexpr gemm_policy stream_k_policy() {
    gemm_policy p = tune::gemm_rows<Arch, f16>::row.of(tune::size_class::small);
    p.schedule = gemm_schedule::stream_k;
    return p;
}

/// Whole tiles, and two or more that four workgroups share, with a part of a step at the end of k.
template <class Arch>
void capture_stream_k(const fs::path& folder, std::mt19937_64& random) {
    static constexpr gemm_policy policy = stream_k_policy<Arch>();
    constexpr tile_shape tile = policy.block_tile;
    test::gemm_case c;
    c.problem = {.m = 2 * tile.m + 1 + index(random() % 20),
                 .n = tile.n + 8 * (1 + index(random() % 3)),
                 .k = 3 * tile.k + 8,
                 .layout = gemm_layout::nt};
    test::lay_out(c.problem, 8, 0);
    c.compute_units = 4, c.stages = {{stage_kind::bias}}, c.seed = random();
    test::gemm_data<f16, f16> data(c);
    capture_gemm<with_policy(policy, only(operand_access::nt))>(
        capture_target(std::string(Arch::traits.name), c.compute_units), folder, data,
        bias(data.sources[0]->data()));
}

}  // namespace fade::replay
