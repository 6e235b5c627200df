// Stores that pass the caches by: memory that nobody reads soon is not fetched before it is overwritten.
#pragma once
#include <fade/atom/cpu/vector.hpp>

namespace FADE_NAMESPACE::atom {

/// Results of so many bytes are in no cache when they are read again: the last ones of today's CPUs have 32
/// MB for a few cores.
inline constexpr long streamed_bytes = 32l << 20;

/// Stores a vector to an address that is a multiple of its bytes.
template <int Bytes>
FADE_CPU void stream(void* to, const vector<float, Bytes>& x) {
    auto& there = *static_cast<vector<float, Bytes>*>(to);
#if defined(__clang__)
    __builtin_nontemporal_store(x, &there);
#elif defined(__x86_64__) && !defined(__CUDACC__)  // nvcc also has copies compiled by themselves, for any CPU
    if constexpr (Bytes == 64)
        __asm__("vmovntps %1, %0" : "=m"(there) : "v"(x));
    else if constexpr (Bytes == 32)
        __asm__("vmovntps %1, %0" : "=m"(there) : "x"(x));
    else if constexpr (Bytes == 16)
        __asm__("movntps %1, %0" : "=m"(there) : "x"(x));
    else
        there = x;
#else
    there = x;
#endif
}

/// What was streamed before is seen by others before what is stored behind.
FADE_CPU void end_stream() {
#if defined(__x86_64__)
    __asm__ volatile("sfence" ::: "memory");
#endif
}

}  // namespace FADE_NAMESPACE::atom
