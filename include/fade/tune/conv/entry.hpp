// Convolutions as something a device can launch, by the policies of matrix multiplication.
#pragma once
#include <fade/kernel/conv/body.hpp>
#include <fade/kernel/conv/panels.hpp>
#include <fade/kernel/conv/transpose.hpp>
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

/// What a filter's gradient sees of an image is looked up pixel by pixel, which asynchronous copies cannot,
/// and which takes the registers of large tiles and of what would be read ahead.
constexpr gemm_policy conv_policy(const gemm_row& row, size_class size, const conv_kernel& kernel) {
    if (kernel.pass != conv_pass::backward_weights) return policy_for(row, size, kernel.layout());
    gemm_policy out = row.small;
    if (out.pipeline != block::pipeline_kind::direct) out.pipeline = block::pipeline_kind::single_buffer;
    return out;
}

template <class In, class Out, conv_kernel Kernel, size_class Size, class Epilogue>
struct conv_entry {
    using arguments = kernel::conv_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = conv_policy(gemm_rows<Arch, In>::row, Size, Kernel);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, In>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (kernel::gemm_traits<Arch, In, policy<Arch>>::panels)
            return {.waves = 1,
                    .shared_bytes = kernel::conv_shared_bytes<kernel::gemm_traits<Arch, In, policy<Arch>>>};
        else
            return gemm_shape<Arch, In, policy<Arch>>();
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using traits = kernel::gemm_traits<typename Block::arch, In, policy<typename Block::arch>>;
        if constexpr (traits::panels)
            run_panels<traits>(block, args);
        else
            run_tiles<policy<typename Block::arch>>(block, args);
    }

private:
    template <class Traits, workgroup Block>
    static void run_panels(Block& block, const arguments& args) {
        if constexpr (Kernel.pass == conv_pass::forward)
            kernel::conv_forward_panels<Traits, In>(block, args);
        else if constexpr (Kernel.pass == conv_pass::backward_data)
            kernel::conv_data_panels<Traits, In>(block, args);
        else
            kernel::conv_weights_panels<Traits, In>(block, args);
    }

    template <gemm_policy Policy, workgroup Block>
    FADE_FN static void run_tiles(Block& block, const arguments& args) {
        constexpr kernel::gemm_access access = access_of(Kernel.layout());
        if constexpr (Kernel.pass == conv_pass::forward)
            kernel::conv_forward<Policy, access, Kernel.access>(block, args);
        else if constexpr (Kernel.pass == conv_pass::backward_weights)
            kernel::conv_backward_weights<Policy, access>(block, args);
        else if constexpr (Kernel.strided)
            kernel::conv_backward_strided<Policy, access, Kernel.access>(block, args);
        else
            kernel::conv_backward_data<Policy, access, Kernel.access>(block, args);
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
