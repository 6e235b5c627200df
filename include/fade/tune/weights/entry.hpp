// The product with quantised weights as something a device can launch.
#pragma once
#include <fade/kernel/weights/body.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace FADE_NAMESPACE::tune {

/// What becomes numbers in registers can be copied by no ring, and on sm_80 leaves none for waves of 64 x 64.
template <class Arch, class In>
constexpr gemm_policy weight_policy(size_class size) {
    if constexpr (std::is_same_v<Arch, arch::sm_80>) return ampere_widened().of(size);
    if (std::is_same_v<Arch, arch::sm_90a> && sizeof(In) == 2)
        return {.block_tile = {64, 64, 64}, .wave_tile = {16, 64}, .waves_per_simd = 2};
    return policy_for(gemm_rows<Arch, In>::row, size, operand_access::strided);
}

/// How waves of a wave_ring cut a tile of so many rows: `beside` of them have columns side by side, and each
/// takes `depth` k at once. `simd`: waves that a quarter of a compute unit holds.
struct stream_cut {
    int rows, waves, columns, beside, depth, simd;
    bool unit = false;  ///< by the unit that four waves share
};
/// What was fastest of those in bench/experiments.md.
constexpr stream_cut stream_cuts[] = {
    {8, 8, 64, 1, 64, 4}, {16, 8, 64, 1, 64, 4}, {32, 8, 64, 1, 32, 2}, {64, 8, 32, 1, 32, 2}};
constexpr stream_cut awq_stream_cuts[] = {{8, 8, 64, 1, 32, 4}, {16, 8, 64, 1, 64, 4}, {32, 8, 64, 1, 32, 2}};
constexpr stream_cut wide_stream_cuts[] = {{8, 16, 64, 4, 128, 4},
                                           {16, 16, 64, 4, 128, 4},
                                           {32, 8, 32, 8, 128, 2, true},
                                           {64, 8, 32, 8, 128, 2, true}};
/// The same, but for 16 rows, of which 16 waves would spill.
constexpr stream_cut awq_wide_stream_cuts[] = {
    {8, 16, 64, 4, 128, 4}, {16, 8, 64, 4, 128, 2}, {32, 8, 64, 4, 128, 2}, {64, 8, 32, 8, 128, 2, true}};

/// `other_depth`: in the place of the cut's own, of bytes.
template <std::size_t N>
constexpr gemm_policy policy_of_cut(const stream_cut (&cuts)[N], int rows, int other_depth) {
    for (const stream_cut& cut : cuts) {
        const int depth = other_depth ? other_depth : cut.depth;
        if (cut.rows == rows)
            return {.block_tile = {rows, cut.columns * cut.beside, cut.waves / cut.beside * depth},
                    .wave_tile = {rows, cut.columns, depth},
                    .pipeline = cut.unit ? block::pipeline_kind::unit_ring : block::pipeline_kind::wave_ring,
                    .waves_per_simd = cut.simd};
    }
    return {};
}

/// Where packed words stream through rings of waves: 8, 16, 32 or 64 rows; without tiles where there is no
/// such kernel. Wide tiles, whose waves share rows of A, are for groups of 128 alone. It was measured on
/// sm_90a alone.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy stream_weight_policy(int rows, bool wide = false) {
    constexpr bool awq = Format.order == weight_order::awq, bytes = Format.bits() == 8;
    if (!std::is_same_v<Arch, arch::sm_90a> || !multiplies_as_it_is<Arch, In>() ||
        Format.order == weight_order::rows || !block::has_exact_differences<Format> ||
        (Format.group != 0 && Format.group < stream_depth))
        return {};
    constexpr bool wide_too = Format.group == 128 && !bytes;
    if (wide)
        return wide_too ? policy_of_cut(awq ? awq_wide_stream_cuts : wide_stream_cuts, rows, 0)
                        : gemm_policy{};
    if constexpr (awq)
        return policy_of_cut(awq_stream_cuts, rows, bytes ? stream_depth : 0);
    else
        return policy_of_cut(stream_cuts, rows, bytes ? stream_depth : 0);
}

/// Of few rows; without tiles where there is no such kernel.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy skinny_weight_policy() {
    if constexpr (multiplies_as_it_is<Arch, In>()) {
        using found = kernel::sliced_weight_atom<Arch, In, Format>;
        using atom = typename found::type;
        constexpr int together = found::patch::columns,
                      columns = max_of(min_of(2 * atom::n, 32), atom::n * found::patch::joined),
                      patches = columns / atom::n * atom::lane_columns / together,
                      packed = Format.order == weight_order::awq  // of whose words a lane uses half
                                   ? atom::lane_k
                                   : together * atom::lane_k * Format.bits() / 32,
                      words = packed + (together > 1 ? 3 : 2);
        // Where words become numbers in few instructions, what is in flight is worth more than registers.
        if (constexpr gemm_policy few = stream_weight_policy<Arch, In, Format>(8); few.block_tile.m > 0)
            return few;
        if (Arch::traits.family == arch::family::nvidia && Format.order == weight_order::gptq)
            return {.block_tile = {atom::m, columns, sliced_waves * 2 * atom::lane_k * atom::k_groups},
                    .wave_tile = {atom::m, columns},
                    .pipeline = block::pipeline_kind::sliced_k,
                    .waves_per_simd = std::is_same_v<Arch, arch::sm_90a> ? 4 : 2};
        return sliced_policy_of<Arch, atom>(columns, patches * words);
    } else
        return {};
}

/// By a ring, of more rows than waves that share k take, whose waves have 32 columns each; without tiles
/// where there is no such kernel. It was measured on sm_90a alone.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy flat_weight_policy() {
    if constexpr (constexpr gemm_policy streams = stream_weight_policy<Arch, In, Format>(64);
                  streams.block_tile.m > 0)
        return streams;
    else if constexpr (std::is_same_v<Arch, arch::sm_90a> && multiplies_as_it_is<Arch, In>()) {
        using atom = typename kernel::sliced_weight_atom<Arch, In, Format>::type;
        constexpr int rows = 64, columns = 32, slices = Format.bits() == 4 ? 4 : 2;
        using patch = typename block::sliced_weight_step<atom, Format, columns / atom::n, slices>::patch;
        if (Format.order == weight_order::gptq && !Format.leaves_group() && block::is_copied<Format, patch>)
            return {.block_tile = {rows, columns * sliced_waves, slices * atom::lane_k * atom::k_groups},
                    .wave_tile = {rows, columns},
                    .pipeline = block::pipeline_kind::sliced_ring,
                    .waves_per_simd = 2};
    }
    return {};
}

/// Do packed words stream past waves?
constexpr bool streams_weights(const gemm_policy& p) {
    return p.pipeline == block::pipeline_kind::wave_ring || p.pipeline == block::pipeline_kind::unit_ring;
}
template <gemm_policy Policy>
inline constexpr bool by_stream = streams_weights(Policy);

/// Rows of a tile whose packed words stream.
constexpr int stream_rows(size_class size) {
    using enum size_class;
    return size == skinny ? 8 : size == narrow ? 16 : size == medium ? 32 : size == flat ? 64 : 0;
}
/// Of every size; of few rows wide ones, too.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy weight_policy_of(size_class size, bool wide = false) {
    if (wide) return stream_weight_policy<Arch, In, Format>(stream_rows(size), true);
    return size == size_class::skinny   ? skinny_weight_policy<Arch, In, Format>()
           : size == size_class::narrow ? stream_weight_policy<Arch, In, Format>(16)
           : size == size_class::medium ? stream_weight_policy<Arch, In, Format>(32)
           : size == size_class::flat   ? flat_weight_policy<Arch, In, Format>()
                                        : weight_policy<Arch, In>(size);
}

template <weight_format Format, class In, class Out, size_class Size, class Epilogue, bool Wide = false>
struct weight_entry {
    using arguments = kernel::weight_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = weight_policy_of<Arch, In, Format>(Size, Wide);
    static constexpr bool few_rows = Size == size_class::skinny || Size == size_class::flat;

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!has_tiles<Arch>())
            return {.waves = 1, .shared_bytes = 16};  // refused before a launch, or never chosen
        else if constexpr (by_stream<policy<Arch>>) {
            using traits = kernel::weight_stream_traits<Arch, In, Format, policy<Arch>>;
            return {.waves = policy<Arch>.waves(),
                    .shared_bytes = traits::shared_bytes,
                    .waves_per_simd = policy<Arch>.waves_per_simd,
                    .awaits = true,
                    .producers = traits::producers};
        } else if constexpr (few_rows) {
            using traits = kernel::sliced_weight_traits<Arch, In, Format, policy<Arch>>;
            return {.waves = policy<Arch>.waves(),
                    .shared_bytes = traits::shared_bytes,
                    .waves_per_simd = policy<Arch>.waves_per_simd,
                    .awaits = policy<Arch>.pipeline == block::pipeline_kind::sliced_ring};
        } else if constexpr (kernel::gemm_traits<Arch, In, policy<Arch>>::panels) {
            using traits = kernel::gemm_traits<Arch, In, policy<Arch>>;
            return {.waves = 1, .shared_bytes = traits::shared_bytes + kernel::panel_bytes<traits>};
        } else
            return gemm_shape<Arch, In, policy<Arch>>();
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (!has_tiles<arch>())
            return;
        else if constexpr (by_stream<policy<arch>>)
            kernel::stream_weights<policy<arch>, Format>(block, args);
        else if constexpr (few_rows)
            kernel::weights_of_few_rows<policy<arch>, Format>(block, args);
        else if constexpr (kernel::gemm_traits<arch, In, policy<arch>>::panels)
            kernel::weight_panels<policy<arch>, Format>(block, args);
        else
            kernel::weight_tiles<policy<arch>, Format>(block, args);
    }

private:
    template <class Arch>
    static constexpr bool has_tiles() {
        if constexpr (arch::has_atom<Arch, In>)
            return policy<Arch>.block_tile.m > 0;
        else
            return false;
    }
};

}  // namespace FADE_NAMESPACE::tune
