// Primitives of the GPU backend of the compiler at hand, if it has one, and of this CPU.
#pragma once
#include <fade/backend/host/primitives.hpp>

#if defined(__HIP__) || defined(__HIPCC__)
#include <fade/backend/hip/primitives.hpp>
#elif defined(__CUDACC__)
#include <fade/backend/cuda/primitives.hpp>
#endif
