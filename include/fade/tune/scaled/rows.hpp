// Policies of products whose parts of k have scales of their own: each lane holds the sums of a part beside
// those of the parts before it, so that tiles are half as large as a plain product's.
#pragma once
#include <fade/kernel/scaled/problem.hpp>
#include <fade/tune/gemm/by_lanes.hpp>

namespace FADE_NAMESPACE::tune {

/// A step is a part of k, or half of one on CDNA, where fragments are read ahead. On other AMD GPUs tiles
/// pass one pair of shared ones, so that two workgroups take turns: the vector instructions of one run beside
/// the products of the other. So do small tiles of CDNA.
template <class Arch, class In>
constexpr gemm_row scaled_row_of_atom() {
    using enum block::pipeline_kind;
    gemm_row row = rows_by_lanes<Arch, In>::row;
    const bool amd = Arch::traits.family != arch::family::nvidia, wave64 = Arch::traits.wave_size == 64;
    if (amd && !wave64) row.large.block_tile.m = 128, row.large.wave_tile = {32, 64};
    if (!amd) {  // sums twice fit the registers of small waves, beside what is in flight
        const bool widens = std::is_same_v<typename Arch::template atom<In>::element, f16>;
        row.small.block_tile = {widens ? 32 : 64, widens ? 32 : 64, scale_depth};
        row.small.wave_tile = {widens ? 16 : 32, widens ? 8 : 16};
        row.large = row.small;
    }
    for (gemm_policy* p : {&row.large, &row.small})
        p->pipeline = amd ? single_buffer : double_buffer, p->block_tile.k = scale_depth;
    if (wave64) {  // half a part a step
        row.large = narrow_mfma(scale_depth / 2, 2);
        row.large.block_tile.m = 256;
    }
    row.strided = row.small;
    if (!amd) row.strided.block_tile = {32, 32, scale_depth}, row.strided.wave_tile = {16, 8};
    return row;
}

template <class Arch, class In>
struct scaled_rows {
    static constexpr gemm_row row = scaled_row_of_atom<Arch, In>();
};
/// Where the copy unit brings operands: the tile of `small`, which leaves registers for sums twice and
/// scales.
template <class Arch, class In>
constexpr gemm_policy scaled_boxes_policy(size_class size) {
    gemm_policy policy = gemm_rows<Arch, In>::row.small;
    if (size == size_class::large) policy.swizzle_rows = 16, policy.cluster = 2;
    return policy;
}

/// Elements are packed as f32.
template <class In>
struct scaled_rows<arch::host, In> : gemm_rows<arch::host, float> {};

}  // namespace FADE_NAMESPACE::tune
