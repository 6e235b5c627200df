// The largest magnitude that anybody found, in one word of memory that all lanes share.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::backend {

/// Bits of a magnitude. They are ordered as magnitudes are, and those of NaN are the largest: so a maximum of
/// whole numbers finds the same in any order.
using magnitude_bits = unsigned;
FADE_FN magnitude_bits magnitude_of(float x) { return __builtin_bit_cast(unsigned, x) & 0x7fffffffu; }

/// A lane's own maximum. It is found here: compilers put all comparisons of a tile behind its last store, and
/// keep every value and every condition for them.
FADE_FN void raise_own(magnitude_bits& max, magnitude_bits x) {
    max = max > x ? max : x;
#if defined(__HIP_DEVICE_COMPILE__)
    asm volatile("" : "+v"(max));
#endif
}

/// One that all lanes share. Who would raise nothing only reads.
FADE_FN void raise(float* at, magnitude_bits x) {
    using word = unsigned __attribute__((may_alias));
    auto* const to = reinterpret_cast<word*>(at);
#if defined(__HIP_DEVICE_COMPILE__)
    if (x > __hip_atomic_load(to, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
        __hip_atomic_fetch_max(to, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#elif defined(__CUDA_ARCH__)
    if (x > *static_cast<volatile word*>(to)) atomicMax(reinterpret_cast<unsigned*>(at), x);
#else
    unsigned seen = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (x > seen && !__atomic_compare_exchange_n(to, &seen, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

}  // namespace FADE_NAMESPACE::backend
