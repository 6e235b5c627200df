// Is there a NaN in a vector? By bits, since a compiler may be told that there is none (-ffast-math).
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// Words of two 16-bit floats whose magnitude beyond infinity carries into the sign's place.
template <class T, int N>
FADE_FN bool any_nan(const vec<T, N>& x) {
    if constexpr ((std::is_same_v<T, f16> || std::is_same_v<T, bf16>) && N % 2 == 0) {
        constexpr std::uint32_t beyond = std::is_same_v<T, f16> ? 0x03ff03ffu : 0x007f007fu;
        const auto words = __builtin_bit_cast(vec<std::uint32_t, N / 2>, x);
        std::uint32_t all = 0;
        FADE_UNROLL
        for (int i = 0; i < N / 2; ++i) all |= (words[i] & 0x7fff7fffu) + beyond;
        return (all & 0x80008000u) != 0;
    } else {
        bool any = false;
        FADE_UNROLL
        for (int i = 0; i < N; ++i) any |= is_nan(convert<float>(x[i]));
        return any;
    }
}

}  // namespace FADE_NAMESPACE
