// The architecture of the GPU that this compiler pass makes code for.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::arch {

/// What stands for an architecture where the compiler makes code for the host: a name without members, since
/// the host's own figures would be taken for a GPU's.
template <class Asked = void>
struct of_the_host_pass {
    static_assert(
        !std::is_void_v<Asked>,
        "arch::current is the GPU of a device pass of the compiler, and this is the host's pass, "
        "which serves all GPUs: take Block::arch in a kernel, and device.with_arch(f) in host code");
};

#if defined(__gfx906__)
using current = gfx906;
#elif defined(__gfx908__)
using current = gfx908;
#elif defined(__gfx90a__)
using current = gfx90a;
#elif defined(__gfx942__) || defined(__gfx9_4_generic__)
using current = gfx942;
#elif defined(__gfx950__)
using current = gfx950;
#elif defined(__gfx1030__) || defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) ||        \
    defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__) || defined(__gfx10_3_generic__)
using current = gfx1030;
#elif defined(__gfx1100__)
using current = gfx1100;
#elif defined(__gfx1101__)
using current = gfx1101;
#elif defined(__gfx1102__) || defined(__gfx1103__) || defined(__gfx11_generic__)
using current = gfx1102;
#elif defined(__gfx1150__) || defined(__gfx1152__) || defined(__gfx1153__)
using current = gfx1150;
#elif defined(__gfx1151__)
using current = gfx1151;
#elif defined(__gfx1200__)
using current = gfx1200;
#elif defined(__gfx1201__) || defined(__gfx12_generic__)
using current = gfx1201;
#elif defined(__gfx1250__)
using current = gfx1250;
#elif defined(__HIP_DEVICE_COMPILE__)
#error "FADE has no row for this AMD architecture: add include/fade/arch/gfxNNNN.hpp, as arch_list.hpp says"
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000
using current = sm_90a;
#elif defined(__CUDA_ARCH__)
using current = sm_80;
#else
using current = of_the_host_pass<>;
#endif

/// Does this pass make code for a GPU?
template <class Arch>
inline constexpr bool is_device_pass = true;
template <>
inline constexpr bool is_device_pass<of_the_host_pass<>> = false;

}  // namespace FADE_NAMESPACE::arch
