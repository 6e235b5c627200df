// Arithmetic of a run of elements that one lane has.
#pragma once
#include <cstdint>
#include <cstring>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::backend {

/// Every element of a run, in the type of its sums.
template <class T, class In, int Run>
FADE_FN vec<T, Run> widened_run(const vec<In, Run>& run) {
    vec<T, Run> out;
    FADE_UNROLL
    for (int e = 0; e < Run; ++e) out[e] = convert<T>(run[e]);
    return out;
}

/// sums += a b, element by element.
template <class T, int Run>
FADE_FN void add_products(vec<T, Run>& sums, const vec<T, Run>& a, const vec<T, Run>& b) {
    FADE_UNROLL
    for (int e = 0; e < Run; ++e) sums[e] += a[e] * b[e];
}

// On CPUs eight are one vector. Left to itself gcc 12 stores a run in halves, and a load of the whole waits
// until both have left the store buffer: depthwise convolutions took up to four times as long, with -O2 in
// one type and with -O3 in another.
#if !defined(__CUDACC__) && !defined(__HIP__)

template <>
FADE_FN vec<float, 8> widened_run<float, bf16, 8>(const vec<bf16, 8>& run) {
    using halves = std::uint16_t __attribute__((vector_size(16)));
    using words = std::uint32_t __attribute__((vector_size(32)));
    halves bits;
    std::memcpy(&bits, &run, sizeof bits);
    const words whole = __builtin_convertvector(bits, words) << 16;
    vec<float, 8> out;
    std::memcpy(&out, &whole, sizeof out);
    return out;
}

FADE_FN void add_products(vec<float, 8>& sums, const vec<float, 8>& a, const vec<float, 8>& b) {
    using floats = float __attribute__((vector_size(32)));
    floats sum, x, y;
    std::memcpy(&sum, &sums, sizeof sum);
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    sum += x * y;
    std::memcpy(&sums, &sum, sizeof sum);
}

#endif

}  // namespace FADE_NAMESPACE::backend
