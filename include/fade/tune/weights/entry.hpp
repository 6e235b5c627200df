// The product with quantised weights as something a device can launch.
#pragma once
#include <fade/kernel/weights/body.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace FADE_NAMESPACE::tune {

/// What becomes numbers in registers can be copied by no ring, and on sm_80 leaves none for waves of 64 x 64.
template <class Arch, class In>
constexpr gemm_policy weight_policy(size_class size) {
    if constexpr (std::is_same_v<Arch, arch::sm_80>) return ampere_widened().of(size);
    gemm_policy policy = policy_for(gemm_rows<Arch, In>::row, size, operand_access::strided);
    if (std::is_same_v<Arch, arch::sm_90a>) policy.block_tile.n = policy.wave_tile.n = 64;
    return policy;
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
        if (Arch::traits.family == arch::family::nvidia && Format.order == weight_order::gptq)
            return {.block_tile = {atom::m, columns, sliced_waves * 2 * atom::lane_k * atom::k_groups},
                    .wave_tile = {atom::m, columns},
                    .pipeline = block::pipeline_kind::sliced_k,
                    .waves_per_simd = std::is_same_v<Arch, arch::sm_90a> ? 4 : 2};
        return sliced_policy_of<Arch, atom>(columns, patches * words);
    } else
        return {};
}

template <weight_format Format, class In, class Out, size_class Size, class Epilogue>
struct weight_entry {
    using arguments = kernel::weight_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy =
        Size == size_class::skinny ? skinny_weight_policy<Arch, In, Format>() : weight_policy<Arch, In>(Size);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!has_tiles<Arch>())
            return {.waves = 1, .shared_bytes = 16};  // refused before a launch, or never chosen
        else if constexpr (Size == size_class::skinny) {
            using found = kernel::sliced_weight_atom<Arch, In, Format>;
            using traits =
                kernel::sliced_k_traits<Arch, typename found::type, policy<Arch>, found::patch::joined>;
            return {.waves = policy<Arch>.waves(),
                    .shared_bytes = traits::shared_bytes,
                    .waves_per_simd = policy<Arch>.waves_per_simd};
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
        else if constexpr (Size == size_class::skinny)
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
