// What the headers of HIP 5 want of a clang that is newer than they are. FadeHip.cmake puts it in front of
// HIP sources where HIP is that old, for programs that include <hip/hip_runtime.h>; FADE's own headers need
// none of it.
#pragma once

// The compiler no longer names the wave size; hip_runtime.h makes warpSize of it. The host pass must have one
// too.
#ifndef __AMDGCN_WAVEFRONT_SIZE
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif

// hip_fp16.h calls these two, which the compiler's own headers once declared. Templates, so that such a
// declaration is preferred where it is still there, and because __half2 is not defined yet.
template <class Half>
inline __attribute__((device)) Half __llvm_amdgcn_rcp_f16(Half x) {
    return static_cast<Half>(__builtin_amdgcn_rcph(x));
}

template <class Half2>
inline __attribute__((device)) Half2 __llvm_amdgcn_rcp_2f16(Half2 x) {
    for (int i = 0; i < 2; ++i) x.data[i] = static_cast<_Float16>(__builtin_amdgcn_rcph(x.data[i]));
    return x;
}
