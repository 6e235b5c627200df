// Sums and products as the instructions make them: those of i32 wrap around, which C++ allows unsigned
// numbers only.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// What sums of T are computed in.
template <class T>
using wrapping = std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t, T>;

template <class T>
FADE_FN constexpr T wrapping_sum(T a, T b) {
    return T(wrapping<T>(a) + wrapping<T>(b));
}

template <class T>
FADE_FN constexpr T wrapping_product(T a, T b) {
    return T(wrapping<T>(a) * wrapping<T>(b));
}

}  // namespace FADE_NAMESPACE
