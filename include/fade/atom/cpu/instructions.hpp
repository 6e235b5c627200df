// Which compilers take instructions of wide vectors as text, in functions that are compiled for each kind of
// vectors.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::atom {

/// Clang would have it said for which CPU a function is, and nvcc also has copies compiled by themselves, for
/// any.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__CUDACC__)
#define FADE_VECTOR_INSTRUCTIONS 1
template <int Bytes>
inline constexpr bool takes_instructions = Bytes >= 32;
#else
#define FADE_VECTOR_INSTRUCTIONS 0
template <int Bytes>
inline constexpr bool takes_instructions = false;
#endif

/// Have vectors of 16 bytes no more than 16 registers?
#if defined(__x86_64__)
inline constexpr bool has_few_registers = true;
#else
inline constexpr bool has_few_registers = false;
#endif

}  // namespace FADE_NAMESPACE::atom
