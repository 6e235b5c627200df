// Policies for the MFMA architectures. Their figures: audited.inc.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace FADE_NAMESPACE::tune {

/// Tiles of 64 x 64 for problems that leave compute units idle; steps of `depth`, two workgroups a compute
/// unit.
constexpr gemm_policy small_mfma(int depth) {
    return {.block_tile = {64, 64, depth},
            .wave_tile = {32, 32},
            .pipeline = block::pipeline_kind::read_ahead,
            .waves_per_simd = 2};
}

/// Eight waves of 128 x 64: 128 accumulators a lane leave registers for two waves a SIMD, whose products hide
/// each other's waits.
constexpr gemm_policy wide_mfma(int depth) {
    return {.block_tile = {256, 256, depth},
            .wave_tile = {128, 64},
            .pipeline = block::pipeline_kind::read_ahead,
            .swizzle_rows = 4,
            .waves_per_simd = 2};
}

/// gfx908 keeps accumulators in 128 registers of their own a lane, and moves them: half the tile. So does
/// f64, whose accumulators are twice as wide.
constexpr gemm_policy narrow_mfma(int depth, int waves_per_simd) {
    return {.block_tile = {128, 128, depth},
            .wave_tile = {64, 64},
            .pipeline = block::pipeline_kind::read_ahead,
            .waves_per_simd = waves_per_simd};
}

/// Steps of so many bytes a row.
template <class In>
constexpr gemm_row mfma_row(bool wide, int bytes) {
    constexpr int size = int(sizeof(In));
    if (size == 8) return {.large = narrow_mfma(16, 1), .small = small_mfma(16)};
    return {.large = wide ? wide_mfma(bytes / size) : narrow_mfma(bytes / size, 2),
            .small = small_mfma(128 / size)};
}

template <class In>
struct gemm_rows<arch::gfx908, In> {
    static constexpr gemm_row row = mfma_row<In>(false, 64);
};
template <class In>
struct gemm_rows<arch::gfx90a, In> {
    static constexpr gemm_row row = mfma_row<In>(true, 64);
};
// Products of f32 share the issue port with vector instructions here.
template <class In>
struct gemm_rows<arch::gfx942, In> {
    static constexpr gemm_row row = mfma_row<In>(true, 64);
};
/// 8-bit floats are multiplied 64 deep: what would be read ahead of such products does not fit the registers.
template <class In>
constexpr gemm_row gfx950_row() {
    gemm_row row = mfma_row<In>(true, sizeof(In) < 4 ? 128 : 64);
    if (is_storage<In> && sizeof(In) == 1) row.large.pipeline = block::pipeline_kind::double_buffer;
    return row;
}

// 160 KiB of shared memory take steps of twice the depth.
template <class In>
struct gemm_rows<arch::gfx950, In> {
    static constexpr gemm_row row = gfx950_row<In>();
};

}  // namespace FADE_NAMESPACE::tune
