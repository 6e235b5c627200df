// Convolutions by a policy that is none of the table's, as something a device can launch.
#pragma once
#include <fade/tune/conv/boxes.hpp>
#include <fade/tune/conv/entry.hpp>

namespace FADE_NAMESPACE::tune {

/// The kernel of conv_entry by a policy.
template <class In, class Out, conv_kernel Kernel, gemm_policy Policy, class Epilogue>
struct passed_conv_entry {
    using like = conv_entry<In, Out, Kernel, size_class::small, Epilogue>;
    using arguments = typename like::arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return like::template shape_by<Arch, Policy>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        like::template run_tiles<Policy>(block, args);
    }
};

/// The kernel of tma_conv_entry by a policy.
template <class In, class Out, conv_kernel Kernel, gemm_policy Policy, class Epilogue>
struct passed_tma_conv_entry {
    using arguments = typename tma_conv_entry<In, Out, Kernel, size_class::small, Epilogue>::arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        static_assert(convolves_by_boxes<Arch, In, Kernel.pass>,
                      "the architecture copies no boxes of this type");
        return shape_by_boxes<Arch, In, Policy, access_of(Kernel.layout())>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::conv_by_boxes<Policy, access_of(Kernel.layout()), Kernel.pass>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
