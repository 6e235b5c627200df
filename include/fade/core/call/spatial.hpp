// Sizes along the spatial dimensions of an image, a filter, a window.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Depth, height and width; what a dimension less has is 1 (images, filters, strides) or 0 (padding).
struct spatial {
    int d = 1;  ///< depth
    int h = 1;  ///< height
    int w = 1;  ///< width
    /// Are all equal?
    constexpr bool operator==(const spatial&) const = default;
    /// Their product.
    constexpr long long volume() const { return 1LL * d * h * w; }
};

}  // namespace FADE_NAMESPACE
