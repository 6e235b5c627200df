// Devices that this compiler makes no code for: they can be named, and one sentence says what compiles them.
#pragma once
#include <fade/core/namespace.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

#if !defined(__HIP__) && !defined(__HIPCC__)
class hip_device {
public:
    using missing_compiler = hip_device;
    template <class... Arguments>
    explicit hip_device(const Arguments&...) {
        static_assert(
            sizeof...(Arguments) > 99,
            "fade::hip_device needs a compiler for AMD GPUs: clang++ -x hip --offload-arch=gfx942, or "
            "fade_add_hip_executable of CMake; this one compiles for CPUs");
    }
};
#endif

#if !defined(__CUDACC__) || defined(__HIP__) || defined(__HIPCC__)
class cuda_device {
public:
    using missing_compiler = cuda_device;
    template <class... Arguments>
    explicit cuda_device(const Arguments&...) {
        static_assert(sizeof...(Arguments) > 99,
                      "fade::cuda_device needs a compiler for NVIDIA GPUs: nvcc -std=c++20 -gencode "
                      "arch=compute_90a,code=sm_90a; this one does not compile for them");
    }
};
#endif

}  // namespace FADE_NAMESPACE
