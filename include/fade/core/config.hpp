// How a function that runs on every machine is spelled.
#pragma once

// Vendor compilers define __host__ and __device__ as macros before the first include; others know neither.
#ifdef __host__
#define FADE_FN __host__ __device__ inline __attribute__((always_inline))
#else
#define FADE_FN inline __attribute__((always_inline))
#endif

// Loops over fragments must vanish: an index that is not a constant sends the array to scratch memory. A CPU has none, and clang warns of emulated loops that it leaves.
#if defined(__host__) && (defined(__clang__) || defined(__NVCC__))
#define FADE_UNROLL _Pragma("unroll")
#else
#define FADE_UNROLL
#endif

// Loops that must stay loops: unrolled they would keep too many values in flight.
#if defined(__clang__)
#define FADE_ROLLED _Pragma("clang loop unroll(disable)")
#elif defined(__NVCC__)
#define FADE_ROLLED _Pragma("unroll 1")
#else
#define FADE_ROLLED
#endif

// One instruction where the compiler makes code for a device that has it; on a CPU the type may be a library call.
#if defined(__host__) && defined(__clang__) && defined(__FLT16_MANT_DIG__)
#define FADE_NATIVE_F16
#endif
