// How a function that runs on every machine is spelled.
#pragma once
#include <fade/core/version.hpp>

#if __cplusplus < 202002L
#error "FADE needs C++20: compile with -std=c++20, or link fade::fade with CMake, which says so itself"
#endif

// Vendor compilers define __host__ and __device__ as macros before the first include; others know neither.
#ifdef __host__
#define FADE_FN __host__ __device__ inline __attribute__((always_inline))
#else
#define FADE_FN inline __attribute__((always_inline))
#endif

// Lambdas that must vanish into who calls them, which may be compiled for other vector instructions.
#define FADE_LAMBDA __attribute__((always_inline))

// Loops over fragments must vanish: an index that is not a constant sends the array to scratch memory. A CPU
// has none, and clang warns of emulated loops that it leaves.
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

// Loops of the CPU's own kernels over a few vectors, which are to stay in registers. nvcc hands the pragma on
// to the host's compiler, and is not to warn that it does not know it itself.
#define FADE_PRAGMA(words) _Pragma(#words)
#if defined(__NVCC__)
#define FADE_CPU_UNROLL(times)                                                                               \
    _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") FADE_PRAGMA(GCC unroll times)             \
        _Pragma("nv_diagnostic pop")
#else
#define FADE_CPU_UNROLL(times) FADE_PRAGMA(GCC unroll times)
#endif

// One instruction where the compiler makes code for a device that has it; on a CPU the type may be a library
// call.
#if defined(__host__) && defined(__clang__) && defined(__FLT16_MANT_DIG__)
#define FADE_NATIVE_F16
#endif
