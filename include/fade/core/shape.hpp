// Compile-time tile shapes and small integer helpers.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Rows (m), columns (n) and depth (k) of a tile, in elements.
struct tile_shape {
    int m = 0;  ///< rows of D
    int n = 0;  ///< columns of D
    int k = 0;  ///< depth of a step
    /// Are all fields equal?
    constexpr bool operator==(const tile_shape&) const = default;
};

template <class T>
FADE_FN constexpr T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}

template <class T>
FADE_FN constexpr T min_of(T a, T b) {
    return a < b ? a : b;
}

template <class T>
FADE_FN constexpr T max_of(T a, T b) {
    return a < b ? b : a;
}

}  // namespace FADE_NAMESPACE
