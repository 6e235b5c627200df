// The device that an object is compiled for: an emulated architecture (FADE_C_ARCH), or that of the compiler.
// A test may name a hip_device of its own (FADE_C_HIP_DEVICE), whose kernels are fewer.
#pragma once
#include "../backend.hpp"
#include <fade/device/devices.hpp>
#include <fade/device/operation.hpp>

namespace fade::c {

#if defined(FADE_C_ARCH)
using device = emulated_device<arch::FADE_C_ARCH>;
#elif defined(FADE_C_HIP_DEVICE)
using device = FADE_C_HIP_DEVICE;
constexpr const char* gpu_kind = "hip";
#elif defined(__HIP__)
using device = hip_device;
constexpr const char* gpu_kind = "hip";
#elif defined(__CUDACC__)
using device = cuda_device;
constexpr const char* gpu_kind = "cuda";
#else
using device = host_device;
#endif
#if !defined(__HIP__) && !defined(__CUDACC__)
constexpr const char* gpu_kind = "no GPU";
#endif

/// A GPU learns its architecture when it is opened.
template <class Device>
inline constexpr bool learns_arch = !requires { typename Device::arch; };

/// What fade.h calls the kind of a device. A template, since objects for several kinds make one library.
template <class Device>
std::string kind_name() {
    if constexpr (std::is_same_v<Device, host_device>)
        return "host";
    else if constexpr (!learns_arch<Device>)
        return "emulated:" + std::string(Device::arch::traits.name);
    else
        return gpu_kind;
}

/// Of an object's own devices.
template <class Device>
backend& own_backend() {
    static backend& own = backend_of(kind_name<Device>());
    return own;
}

/// Enters what Call does of an operation on this object's device. Call::run(device&, const arguments&,
/// manner).
template <operation Op, class In, class Out, class Call>
void add_caller() {
    own_backend<device>().callers[int(Op)][int(dtype_v<In>)][int(dtype_v<Out>)] =
        [](void* on, const void* arguments, const manner& how) {
            return Call::run(*static_cast<device*>(on),
                             *static_cast<const typename Call::arguments*>(arguments), how);
        };
}

/// The options of a call, which say whether it is planned only.
inline operation_options options_of(const manner& how, operation_plan& plan) {
    return {.workspace = how.workspace,
            .workspace_bytes = how.workspace_bytes,
            .strict = how.strict,
            .plan = how.plans ? &plan : nullptr};
}
inline outcome outcome_of(fade::report&& said, operation_plan&& plan) {
    return {std::move(said), std::move(plan.launches), plan.workspace_bytes};
}
/// Runs or plans call(options), which returns a report.
template <class F>
outcome made(const manner& how, F&& call) {
    operation_plan plan;
    fade::report said = call(options_of(how, plan));
    return outcome_of(std::move(said), std::move(plan));
}

/// Does the device of this object multiply the type?
template <class In, class Device = device>
constexpr bool multiplied_here() {
    if constexpr (learns_arch<Device>)
        return true;
    else
        return arch::has_atom<typename Device::arch, In> || std::is_same_v<Device, host_device>;
}

}  // namespace fade::c
