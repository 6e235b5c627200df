// How convolutions are cut: as products of matrices are, but for the filter's gradient.
#pragma once
#include <fade/kernel/conv/body.hpp>
#include <fade/kernel/conv/panels.hpp>
#include <fade/tune/gemm/by_lanes.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace FADE_NAMESPACE::tune {

/// Which of the kernels of convolution.
struct conv_kernel {
    conv_pass pass = conv_pass::forward;
    bool strided = false;  ///< backward data of strides above 1
    kernel::channel_access access = kernel::channel_access::chunks;
    constexpr bool operator==(const conv_kernel&) const = default;

    /// The layouts of the product of matrices that it is.
    constexpr operand_access layout() const {
        if (access == kernel::channel_access::elements) return operand_access::strided;
        return pass == conv_pass::forward         ? operand_access::nt
               : pass == conv_pass::backward_data ? operand_access::nn
                                                  : operand_access::tn;
    }
};

/// Windows come by lanes.
template <class Arch, class In>
using conv_rows = rows_by_lanes<Arch, In>;

/// Of forward and backward data. Where MFMA's large tiles are 256 x 256, small ones of 64 x 64 would have the
/// matrix unit wait for shared memory, a third of the time: they are 128 x 128 here, and workgroups share k.
/// Steps are of 64 bytes, of which shared memory holds those of two workgroups, on gfx950 of more.
template <class Arch, class In>
constexpr gemm_row windows_row() {
    gemm_row out = conv_rows<Arch, In>::row;
    if (Arch::traits.family != arch::family::cdna || out.large.wave_tile.m != 128) return out;
    if (out.strided.block_tile.m == 0) out.strided = out.small;
    out.small = narrow_mfma(64 / int(sizeof(In)), Arch::traits.lds_per_cu > 65536 && sizeof(In) < 4 ? 3 : 2);
    return out;
}

/// Of up to 64 columns, half of which would lie beyond small tiles of 128 x 128, where channels are whole
/// steps of those. Steps are half of theirs, so that shared memory holds three workgroups. On Hopper small
/// ones have 128 columns, and narrow ones read partial steps, too.
template <class Arch, class In>
constexpr gemm_policy narrow_policy() {
    if (std::is_same_v<Arch, arch::sm_90a> && sizeof(In) == 2) {
        gemm_policy out = windows_row<Arch, In>().small;
        out.block_tile.m = 128, out.block_tile.n = out.wave_tile.n = 64;
        return out;
    }
    if (Arch::traits.family != arch::family::cdna || conv_rows<Arch, In>::row.large.wave_tile.m != 128)
        return {};
    gemm_policy out = windows_row<Arch, In>().small;
    out.block_tile.m = 256, out.block_tile.n = 64;
    if (Arch::traits.lds_per_cu <= 65536) out.block_tile.k /= 2;
    return out;
}
constexpr int narrow_columns = 64;
constexpr bool narrow_reads(const gemm_policy& narrow, kernel::channel_access access) {
    using enum kernel::channel_access;
    return narrow.block_tile.m > 0 &&
           (access == chunks || (access == runs && narrow.pipeline == block::pipeline_kind::async_ring));
}

/// gfx908 moves accumulators, and needs two workgroups a compute unit, which leave no room for a table: there
/// the lanes of a wave tell each other where pixels lie.
template <class Arch, class In>
inline constexpr bool weights_by_lanes =
    Arch::traits.family == arch::family::cdna && (sizeof(In) == 2 || sizeof(In) == 4) &&
    conv_rows<Arch, In>::row.large.wave_tile.m == 64;

/// Large tiles of MFMA that leave room for a table.
constexpr gemm_policy weights_mfma(const gemm_policy& large, int depth, bool roomy) {
    gemm_policy out = large;
    out.block_tile.k = depth;
    if (!roomy) out.block_tile.m = 128, out.wave_tile.m = 64;
    return out;
}

/// In chunks pixels are found by lanes, in runs by a table in shared memory, which asynchronous copies cannot
/// read. Elements are looked up one by one, which takes the registers of what would be read ahead.
template <class Arch, class In>
constexpr gemm_policy weights_policy(kernel::channel_access access) {
    constexpr gemm_row row = conv_rows<Arch, In>::row;
    if (row.small.pipeline == block::pipeline_kind::direct) return row.large;
    const bool elements = access == kernel::channel_access::elements;
    gemm_policy out = elements || sizeof(In) == 8 ? row.small : row.large;
    if (elements && std::is_same_v<Arch, arch::sm_90a> && sizeof(In) == 2) out = row.strided;
    // A table costs two small workgroups twice what it costs a large one.
    if (std::is_same_v<Arch, arch::gfx906> && !elements && sizeof(In) < 8)
        out.block_tile.m = 128, out.waves_per_simd = 1;
    if (elements)
        out.pipeline = block::pipeline_kind::single_buffer;
    else if (out.pipeline == block::pipeline_kind::async_ring)
        out.pipeline = block::pipeline_kind::double_buffer;
    else if (Arch::traits.family == arch::family::cdna && out.wave_tile.m == 128)
        return weights_mfma(out, 64 / int(sizeof(In)), Arch::traits.lds_per_cu > 65536);
    return out;
}

/// Of so many columns, from a multiple of them on, a wave loads what its lanes tell each other: they must
/// belong to one tap.
template <class Arch, class In>
constexpr int walk_columns() {
    constexpr gemm_policy policy = weights_policy<Arch, In>(kernel::channel_access::chunks);
    constexpr int lanes = Arch::traits.wave_size;
    using layout = typename kernel::gemm_traits<Arch, In, policy>::layout_b;
    using patch = block::patch_shape<In, layout, block::memory_order::row_contiguous, policy.waves() * lanes>;
    static_assert(patch::per_tile <= policy.waves() * lanes, "a lane walks with the pixels of one patch");
    int out = 1;
    for (int first = 0; first < patch::per_tile; first += lanes)
        for (int n = first; n < first + lanes; ++n)
            while (patch::row(first) / out != (patch::row(n) + patch::rows - 1) / out) out *= 2;
    return out;
}

template <class Arch, class In>
constexpr gemm_policy conv_policy(size_class size, const conv_kernel& kernel) {
    if (kernel.pass == conv_pass::backward_weights) return weights_policy<Arch, In>(kernel.access);
    if (size == size_class::narrow) return narrow_policy<Arch, In>();
    return policy_for(windows_row<Arch, In>(), size, kernel.layout());
}

}  // namespace FADE_NAMESPACE::tune
