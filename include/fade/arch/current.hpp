// The architecture that this compiler pass makes code for.
#pragma once
#include <fade/arch/arch_list.hpp>

namespace fade::arch {

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
#elif defined(__gfx1030__) || defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__) || defined(__gfx10_3_generic__)
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
#error "FADE has no row for this AMD architecture: it has gfx906 908 90a 942 950 1030-1036 1100-1103 1150-1153 1200 1201 1250; add include/fade/arch/gfxNNNN.hpp and a line in arch_list.hpp and current.hpp"
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000
using current = sm_90a;
#elif defined(__CUDA_ARCH__)
using current = sm_80;
#else
using current = host;
#endif

}  // namespace fade::arch
