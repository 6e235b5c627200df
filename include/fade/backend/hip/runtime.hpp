// The C interface of the HIP runtime, and its errors as fade::error.
#pragma once
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <fade/core/error.hpp>
#include <hip/hip_runtime_api.h>
#include <string>

namespace FADE_NAMESPACE::backend::hip {

/// Throws what the runtime says of a failed call.
inline void check(hipError_t status, const char* what) {
    if (status != hipSuccess)
        throw error(what, std::string("refused (") + hipGetErrorName(status) + ")",
                    std::string("the HIP runtime says: ") + hipGetErrorString(status));
}

}  // namespace FADE_NAMESPACE::backend::hip
