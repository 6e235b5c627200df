// Policies of AMD architectures: by the kind of instruction that multiplies a type, and what some
// architectures do otherwise. Their figures: audited.inc.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace FADE_NAMESPACE::tune {

/// Waves of 64 x 32 for the matrix instructions of RDNA: what is read ahead fits beside the accumulators with
/// older compilers too.
constexpr gemm_row wmma_row_of(int rows, int depth) {
    return {.large = {.block_tile = {rows, 128, depth},
                      .wave_tile = {64, 32},
                      .pipeline = block::pipeline_kind::read_ahead},
            .small = {.block_tile = {64, 64, depth},
                      .wave_tile = {32, 32},
                      .pipeline = block::pipeline_kind::read_ahead}};
}

/// 64 accumulators a lane on vector ALUs of wave32.
constexpr gemm_row vector_wave32(int depth, block::pipeline_kind pipeline) {
    return {.large = {.block_tile = {128, 128, depth}, .wave_tile = {32, 64}, .pipeline = pipeline},
            .small = {.block_tile = {64, 64, depth}, .wave_tile = {16, 64}, .pipeline = pipeline}};
}

/// On wave64 32 accumulators a lane, so that two waves a SIMD take turns to issue.
constexpr gemm_row vector_wave64(int depth) {
    return {.large = {.block_tile = {128, 128, depth},
                      .wave_tile = {32, 64},
                      .pipeline = block::pipeline_kind::read_ahead},
            .small = {.block_tile = {64, 64, depth},
                      .wave_tile = {32, 32},
                      .pipeline = block::pipeline_kind::read_ahead}};
}

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

/// Tiles of four waves beside `wide_mfma`: of what small tiles read in a step the matrix units of gfx942 take
/// two thirds of the time that shared memory does, and those of gfx950 half.
template <class In>
constexpr gemm_row with_medium(gemm_row row, int depth, int waves_per_simd = 2) {
    if (sizeof(In) < 4) row.medium = narrow_mfma(depth, waves_per_simd);
    return row;
}

/// The row of an architecture that has none of its own, by what multiplies the type there.
///
/// RDNA4's products take half the cycles, so that transposing operands in registers shows: a larger tile
/// transposes less. So it is with bytes on RDNA3, which take twice the instructions. gfx125's products are
/// twice as deep.
template <class Arch, class In>
constexpr gemm_row row_of_atom() {
    using instruction = typename Arch::template atom<In>;
    constexpr arch::arch_traits t = Arch::traits;
    constexpr int size = int(sizeof(In));
    if constexpr (instruction::order != atom::operand_order::k_contiguous)
        return t.wave_size == 64 ? vector_wave64(16) : vector_wave32(16, block::pipeline_kind::read_ahead);
    else if constexpr (t.wave_size == 64)
        return mfma_row<In>(t.vgprs_per_simd >= 512, 64);
    else
        return wmma_row_of(t.family == arch::family::rdna4 ||
                                   (t.family == arch::family::rdna3 && std::is_same_v<In, i8>)
                               ? 256
                               : 128,
                           (t.family == arch::family::gfx125 ? 128 : 64) / size);
}

template <class Arch, class In>
struct gemm_rows {
    static constexpr gemm_row row = row_of_atom<Arch, In>();
};

/// Of f32 products take so few cycles that two workgroups wait for shared memory together: one of steps of
/// twice the depth.
constexpr gemm_row deeper(gemm_row row) {
    row.large.block_tile.k *= 2, row.large.waves_per_simd = 1;
    return row;
}
template <class In>
struct gemm_rows<arch::gfx908, In> {
    static constexpr gemm_row plain = row_of_atom<arch::gfx908, In>(),
                              row = std::is_same_v<In, f32> ? deeper(plain) : plain;
};
template <class In>
struct gemm_rows<arch::gfx942, In> {
    static constexpr gemm_row row = with_medium<In>(row_of_atom<arch::gfx942, In>(), 64 / int(sizeof(In)));
};
/// Workgroups of four waves, two a compute unit, cover each other's barriers.
constexpr gemm_row halved(gemm_row row) {
    row.large.block_tile.m = 64, row.large.waves_per_simd = 2;
    return row;
}
// i8 by dot4 over packs of four k
template <class In>
struct gemm_rows<arch::gfx906, In> {
    static constexpr gemm_row row = halved(vector_wave64(sizeof(In) == 1           ? 64
                                                         : std::is_same_v<In, f16> ? 32
                                                                                   : 16));
};
// Two-address dot products would copy what is read ahead.
template <class In>
struct gemm_rows<arch::gfx1030, In> {
    static constexpr gemm_row row =
        vector_wave32(sizeof(In) == 1 ? 32 : 16, block::pipeline_kind::double_buffer);
};
/// 160 KiB of shared memory take steps of twice the depth. 8-bit floats are multiplied 64 deep: two slices of
/// such products do not fit the registers, so steps are one. Medium tiles take all that each unit has: of
/// their workgroups there are as many as registers hold.
template <class In>
constexpr gemm_row gfx950_row() {
    constexpr bool float8 = is_storage<In> && sizeof(In) == 1;
    return with_medium<In>(mfma_row<In>(true, sizeof(In) < 4 && !float8 ? 128 : 64), 64 / int(sizeof(In)),
                           float8 ? 3 : 4);
}
template <class In>
struct gemm_rows<arch::gfx950, In> {
    static constexpr gemm_row row = gfx950_row<In>();
};

}  // namespace FADE_NAMESPACE::tune
