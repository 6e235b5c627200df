// Policies of products whose parts of k have scales of their own: each lane holds the sums of a part beside
// those of the parts before it, so that tiles are half as large as a plain product's.
#pragma once
#include <fade/kernel/scaled/problem.hpp>
#include <fade/tune/gemm/by_lanes.hpp>

namespace FADE_NAMESPACE::tune {

/// Steps are no deeper than a part of k.
template <class Arch, class In>
constexpr gemm_row scaled_row_of_atom() {
    gemm_row row = rows_by_lanes<Arch, In>::row;
    if (Arch::traits.wave_size == 64) row.large = narrow_mfma(row.small.block_tile.k, 2);
    if (Arch::traits.family == arch::family::rdna4) row.large.block_tile.m = 128;
    for (gemm_policy* p : {&row.large, &row.small}) {
        p->pipeline = block::pipeline_kind::double_buffer;
        if (p->block_tile.k > scale_depth) p->block_tile.k = scale_depth;
    }
    return row;
}

template <class Arch, class In>
struct scaled_rows {
    static constexpr gemm_row row = scaled_row_of_atom<Arch, In>();
};
/// Elements are packed as f32.
template <class In>
struct scaled_rows<arch::host, In> : gemm_rows<arch::host, float> {};

}  // namespace FADE_NAMESPACE::tune
