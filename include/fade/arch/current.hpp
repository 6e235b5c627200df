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

// The file of each architecture knows the macros that compilers define for it.
#if defined(FADE_CURRENT_ARCH)
using current = FADE_CURRENT_ARCH;
#elif defined(__HIP_DEVICE_COMPILE__)
#error "FADE has no row for this AMD architecture: add include/fade/arch/gfxNNNN.hpp, as arch_list.hpp says"
#else
using current = of_the_host_pass<>;
#endif

/// Does this pass make code for a GPU?
template <class Arch>
inline constexpr bool is_device_pass = true;
template <>
inline constexpr bool is_device_pass<of_the_host_pass<>> = false;

}  // namespace FADE_NAMESPACE::arch
