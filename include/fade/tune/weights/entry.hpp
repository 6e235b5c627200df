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

template <weight_format Format, class In, class Out, size_class Size, class Epilogue>
struct weight_entry {
    using arguments = kernel::weight_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = weight_policy<Arch, In>(Size);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, In>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (kernel::gemm_traits<Arch, In, policy<Arch>>::panels) {
            using traits = kernel::gemm_traits<Arch, In, policy<Arch>>;
            return {.waves = 1, .shared_bytes = traits::shared_bytes + kernel::panel_bytes<traits>};
        } else
            return gemm_shape<Arch, In, policy<Arch>>();
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (kernel::gemm_traits<arch, In, policy<arch>>::panels)
            kernel::weight_panels<policy<arch>, Format>(block, args);
        else
            kernel::weight_tiles<policy<arch>, Format>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
