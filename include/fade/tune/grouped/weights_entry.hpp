// The grouped product with quantised weights as something a device can launch.
#pragma once
#include <fade/kernel/grouped/weights.hpp>
#include <fade/tune/grouped/select.hpp>
#include <fade/tune/weights/entry.hpp>

namespace FADE_NAMESPACE::tune {

/// The tiles of products with quantised weights; on Hopper large ones have more rows, so that a weight
/// becomes a number less often, but of AWQ's words, whose lanes would spill.
template <class Arch, class In, weight_format Format>
constexpr gemm_policy grouped_weight_policy(size_class size) {
    if (std::is_same_v<Arch, arch::sm_90a> && sizeof(In) == 2 && size == size_class::large &&
        Format.order != weight_order::awq)
        return {.block_tile = {192, 128, 64}, .wave_tile = {16, 128}, .waves_per_simd = 3};
    return weight_policy<Arch, In>(size);
}

/// Of the tiles that products with quantised weights have, those of the rows that a group has on average.
inline gemm_choice select_grouped_weights(const gemm_policy& large, const gemm_problem& average,
                                          int compute_units) {
    const index tiles = tiles_of(large, average);
    const bool filled = 2 * average.m >= large.block_tile.m;
    return {operand_access::nt,
            filled && enough(tiles, compute_units) ? size_class::large : size_class::small,
            "weights become numbers on their way to shared memory; groups of " + std::to_string(average.m) +
                " rows on average: " +
                (filled ? occupancy_words(tiles, 1, compute_units)
                        : "fewer than half of a large tile's " + std::to_string(large.block_tile.m)),
            false};
}

template <weight_format Format, class In, class Out, size_class Size, class Epilogue>
struct grouped_weight_entry {
    using arguments = kernel::grouped_weight_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = grouped_weight_policy<Arch, In, Format>(Size);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, In>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (kernel::gemm_traits<Arch, In, policy<Arch>>::panels) {
            using traits = kernel::gemm_traits<Arch, In, policy<Arch>>;
            return {.waves = 1,
                    .shared_bytes = traits::shared_bytes + kernel::listed_bytes<traits, In> +
                                    kernel::panel_bytes<traits>};
        } else
            return gemm_shape<Arch, In, policy<Arch>>();
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (kernel::gemm_traits<arch, In, policy<arch>>::panels)
            kernel::grouped_weight_panels<policy<arch>, Format>(block, args);
        else
            kernel::grouped_weight_tiles<policy<arch>, Format>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
