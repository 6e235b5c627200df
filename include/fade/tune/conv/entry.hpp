// Convolutions as something a device can launch, by the policies of matrix multiplication.
#pragma once
#include <fade/kernel/conv/body.hpp>
#include <fade/kernel/conv/panels.hpp>
#include <fade/kernel/conv/transpose.hpp>
#include <fade/tune/conv/policies.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out, conv_kernel Kernel, size_class Size, class Epilogue>
struct conv_entry {
    using arguments = kernel::conv_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = conv_policy<Arch, In>(Size, Kernel);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, In>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (!has_tiles<Arch>)
            return {.waves = 1, .shared_bytes = 16};  // never chosen
        else if constexpr (kernel::gemm_traits<Arch, In, policy<Arch>>::panels)
            return {.waves = 1,
                    .shared_bytes = kernel::conv_shared_bytes<kernel::gemm_traits<Arch, In, policy<Arch>>>};
        else
            return shape_by<Arch, policy<Arch>>();
    }
    /// By another policy than the table's.
    template <class Arch, gemm_policy Policy>
    static constexpr launch_shape shape_by() {
        launch_shape out = gemm_shape<Arch, In, Policy>();
        if (has_table) out.shared_bytes += block::pixel_table_shape::of<In>(Policy.block_tile).bytes();
        return out;
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (has_tiles<typename Block::arch>) {
            using traits = kernel::gemm_traits<typename Block::arch, In, policy<typename Block::arch>>;
            if constexpr (traits::panels)
                run_panels<traits>(block, args);
            else
                run_tiles<policy<typename Block::arch>>(block, args);
        }
    }

    /// On a GPU.
    template <gemm_policy Policy, workgroup Block>
    FADE_FN static void run_tiles(Block& block, const arguments& args) {
        constexpr kernel::gemm_access access = access_of(Kernel.layout());
        if constexpr (Kernel.pass == conv_pass::forward)
            kernel::conv_forward<Policy, access, Kernel.access>(block, args);
        else if constexpr (Kernel.pass == conv_pass::backward_weights && !launched<typename Block::arch>)
            return;
        else if constexpr (Kernel.pass == conv_pass::backward_weights)
            kernel::conv_backward_weights<Policy, access, Kernel.access>(block, args);
        else if constexpr (Kernel.strided)
            kernel::conv_backward_strided<Policy, access, Kernel.access>(block, args);
        else
            kernel::conv_backward_data<Policy, access, Kernel.access>(block, args);
    }

private:
    template <class Arch>
    static constexpr bool has_tiles = [] {
        if constexpr (arch::has_atom<Arch, In>)
            return policy<Arch>.block_tile.m > 0;
        else
            return true;
    }();
    /// Lanes find pixels on few architectures; elsewhere that kernel is empty.
    template <class Arch>
    static constexpr bool launched =
        Kernel.access != kernel::channel_access::chunks || weights_by_lanes<Arch, In>;
    static constexpr bool has_table =
        Kernel.pass == conv_pass::backward_weights && Kernel.access == kernel::channel_access::runs;

    template <class Traits, workgroup Block>
    static void run_panels(Block& block, const arguments& args) {
        if constexpr (Kernel.pass == conv_pass::forward)
            kernel::conv_forward_panels<Traits, In>(block, args);
        else if constexpr (Kernel.pass == conv_pass::backward_data)
            kernel::conv_data_panels<Traits, In>(block, args);
        else
            kernel::conv_weights_panels<Traits, In>(block, args);
    }
};

/// The launch that copies a tensor in another order.
template <class T>
struct transpose_entry {
    using arguments = kernel::transpose_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size,
                .shared_bytes = block::transpose_shared_bytes<T>};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::transpose_images(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
