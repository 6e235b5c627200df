// Functions of f32 without branches and calls, so that compilers make vectors of loops over them.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::backend::host {

/// a where `first` holds, else b; without a branch, of which compilers make no vectors.
FADE_FN float chosen(bool first, float a, float b) {
    const int mask = -int(first);
    return std::bit_cast<float>((std::bit_cast<int>(a) & mask) | (std::bit_cast<int>(b) & ~mask));
}

/// 2^x to two units in the last place; a NaN stays one.
FADE_FN float exp2(float x) {
    const float inside = chosen(x < -160.0f, -160.0f, chosen(x > 130.0f, 130.0f, x));
    const int whole = int(inside + 256.5f) - 256;  // to nearest, or one off at a half
    const float f = inside - float(whole);
    float p = f * 1.32647133e-3f + 9.67151113e-3f;
    p = p * f + 5.55073358e-2f, p = p * f + 2.40222424e-1f, p = p * f + 6.93147004e-1f, p = p * f + 1.0f;
    // In two factors, since 2^130 and 2^-160 are no f32.
    const int half = whole >> 1;
    const float low = std::bit_cast<float>((half + 127) << 23),
                high = std::bit_cast<float>((whole - half + 127) << 23);
    return p * low * high;
}

/// The logarithm to base 2 of a normal number above 0, of 0 and of infinity, to two units in the last place
/// of numbers that are not near 1; a NaN for others.
FADE_FN float log2(float x) { return __builtin_log2f(x); }

FADE_FN float reciprocal(float x) { return 1.0f / x; }

}  // namespace FADE_NAMESPACE::backend::host
