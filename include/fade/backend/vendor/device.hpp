// The GPU backend of the compiler at hand, if it has one.
#pragma once
#include <fade/backend/vendor/missing.hpp>

#if defined(__HIP__) || defined(__HIPCC__)
#include <fade/backend/hip/device.hpp>
#elif defined(__CUDACC__)
#include <fade/backend/cuda/device.hpp>
#endif
