// Vectors of f32 as integers in the order of placed_number, which a CPU compares many at once.
#pragma once
#include <fade/atom/cpu/vector.hpp>
#include <fade/core/number/ordered.hpp>

namespace FADE_NAMESPACE::atom {

/// Signed integers, since SSE2 and AVX2 compare no others.
template <int Bytes>
using ordered_words = vector<std::int32_t, Bytes>;

/// What placed_number::key makes of each number, less 2^31.
template <int Bytes>
FADE_CPU void order(ordered_words<Bytes>& to, const vector<float, Bytes>& x) {
    using words = ordered_words<Bytes>;
    const words bits = (words)x, magnitude = bits & 0x7fffffff;
    const words in_order = bits ^ ((bits >> 31) & 0x7fffffff);
    // Signs instead of comparisons, some of which GCC 12 makes element by element.
    const words nan = (0x7f800000 - magnitude) >> 31, zero = (magnitude - 1) >> 31;  // both zeros are equal
    to = (nan & 0x7fffffff) | (~nan & ~zero & in_order);
}
FADE_CPU std::uint32_t key_of_ordered(std::int32_t word) { return std::uint32_t(word) ^ 0x80000000u; }
FADE_CPU std::int32_t ordered_of_key(std::uint32_t key) { return std::int32_t(key ^ 0x80000000u); }

/// Which lanes of a are larger than b: lane i is bit i.
template <int Bytes>
FADE_CPU std::uint32_t lanes_above(const ordered_words<Bytes>& a, std::int32_t b) {
    ordered_words<Bytes> bits;
    for (int i = 0; i < Bytes / 4; ++i) bits[i] = 1 << i;
    const ordered_words<Bytes> above = (ordered_words<Bytes>)(a > b) & bits;
    std::uint64_t each[Bytes / 8], any = 0;
    __builtin_memcpy(each, &above, sizeof each);
    for (const std::uint64_t two : each) any |= two;
    return std::uint32_t(any) | std::uint32_t(any >> 32);
}

}  // namespace FADE_NAMESPACE::atom
