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

/// Where packed words stream through rings of waves: 8, 16 or 32 rows, and 64 columns, whose k all waves
/// share; without tiles where there is no such kernel. It was measured on sm_90a alone.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy stream_weight_policy(int rows) {
    if (!std::is_same_v<Arch, arch::sm_90a> || !multiplies_as_it_is<Arch, In>() ||
        Format.order == weight_order::rows || !block::has_exact_differences<Format> ||
        (Format.group != 0 && Format.group < stream_depth))
        return {};
    const int waves = rows > 16 ? 8 : 16;  // those of more rows have more registers
    return {.block_tile = {rows, 64, waves * stream_depth},
            .wave_tile = {rows, 64},
            .pipeline = block::pipeline_kind::wave_ring,
            .waves_per_simd = waves / 4};
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
    if constexpr (std::is_same_v<Arch, arch::sm_90a> && multiplies_as_it_is<Arch, In>()) {
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

/// Do its words stream?
template <gemm_policy Policy>
inline constexpr bool by_stream = Policy.pipeline == block::pipeline_kind::wave_ring;

/// Of every size.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy weight_policy_of(size_class size) {
    return size == size_class::skinny   ? skinny_weight_policy<Arch, In, Format>()
           : size == size_class::narrow ? stream_weight_policy<Arch, In, Format>(16)
           : size == size_class::medium ? stream_weight_policy<Arch, In, Format>(32)
           : size == size_class::flat   ? flat_weight_policy<Arch, In, Format>()
                                        : weight_policy<Arch, In>(size);
}

template <weight_format Format, class In, class Out, size_class Size, class Epilogue>
struct weight_entry {
    using arguments = kernel::weight_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = weight_policy_of<Arch, In, Format>(Size);
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
                    .awaits = true};
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
