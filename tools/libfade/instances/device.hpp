// The device that an object is compiled for: an emulated architecture (FADE_C_ARCH), or that of the compiler.
#pragma once
#include "../backend.hpp"
#include <fade/device/devices.hpp>

namespace fade::c {

#if defined(FADE_C_ARCH)
using device = emulated_device<arch::FADE_C_ARCH>;
inline std::string kind_name() { return "emulated:" + std::string(arch::FADE_C_ARCH::traits.name); }
#elif defined(__HIP__)
using device = hip_device;
inline std::string kind_name() { return "hip"; }
#elif defined(__CUDACC__)
using device = cuda_device;
inline std::string kind_name() { return "cuda"; }
#else
using device = host_device;
inline std::string kind_name() { return "host"; }
#endif

/// Enters what Call does of an operation on this object's device. Call::run(device&, const arguments&,
/// manner).
template <operation Op, class In, class Out, class Call>
struct add_caller {
    add_caller() {
        backend_of(kind_name()).callers[int(Op)][int(dtype_v<In>)][int(dtype_v<Out>)] =
            [](void* on, const void* arguments, const manner& how) {
                return Call::run(*static_cast<device*>(on),
                                 *static_cast<const typename Call::arguments*>(arguments), how);
            };
    }
};

/// A GPU learns its architecture when it is opened.
template <class Device>
inline constexpr bool learns_arch = !requires { typename Device::arch; };

/// Does the device of this object multiply the type?
template <class In, class Device = device>
constexpr bool multiplied_here() {
    if constexpr (learns_arch<Device>)
        return true;
    else
        return arch::has_atom<typename Device::arch, In> || std::is_same_v<Device, host_device>;
}

}  // namespace fade::c
