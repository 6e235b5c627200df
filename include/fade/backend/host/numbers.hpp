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

/// 2^f of f from -1/2 to 1/2.
FADE_FN float power_of_fraction(float f) {
    float p = f * 1.32647133e-3f + 9.67151113e-3f;
    p = p * f + 5.55073358e-2f, p = p * f + 2.40222424e-1f, p = p * f + 6.93147004e-1f, p = p * f + 1.0f;
    return p;
}

/// 2^x to two units in the last place; a NaN stays one.
FADE_FN float exp2(float x) {
    const float inside = chosen(x < -160.0f, -160.0f, chosen(x > 130.0f, 130.0f, x));
    const int whole = int(inside + 256.5f) - 256;  // to nearest, or one off at a half
    const float p = power_of_fraction(inside - float(whole));
    // In two factors, since 2^130 and 2^-160 are no f32.
    const int half = whole >> 1;
    const float low = std::bit_cast<float>((half + 127) << 23),
                high = std::bit_cast<float>((whole - half + 127) << 23);
    return p * low * high;
}

/// 2^x of x up to 0, to two units in the last place; below 2^-126 it may be 0. A NaN stays one.
FADE_FN float exp2_below(float x) {
    const float inside = chosen(x < -127.0f, -127.0f, x);
    // The last bits of the sum are the exponent of an f32, to nearest: 0 makes a zero of it.
    constexpr float to_whole = 12582912.0f + 127;  // 1.5 * 2^23: adding it leaves no bits behind the point
    const auto whole = std::bit_cast<std::int32_t>(inside + to_whole);
    const float f = inside - float(whole - std::bit_cast<std::int32_t>(to_whole));
    return power_of_fraction(f) * std::bit_cast<float>(std::uint32_t(whole) << 23);
}

/// The logarithm to base 2 of a normal number above 0, of 0 and of infinity, to two units in the last place
/// of numbers that are not near 1; a NaN for others.
FADE_FN float log2(float x) { return __builtin_log2f(x); }

FADE_FN float reciprocal(float x) { return 1.0f / x; }

}  // namespace FADE_NAMESPACE::backend::host
