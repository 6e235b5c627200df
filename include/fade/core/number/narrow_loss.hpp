// What numbers lose on average where their last bits are left out.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Rounding toward zero to `bits` of mantissa takes half of the last bit: numbers that were raised by that
/// much keep their mean. For mantissas m of density 1 / (m ln 2) the mean loss is 2^-bits ln 2 / 2 of the
/// mean, in powers of two 2^-(bits + 1).
struct narrow_loss {
    float raise = 0;  ///< logarithm to base 2 of what makes up for it
    float left = 1;   ///< 2^-raise

    static constexpr narrow_loss toward_zero(int bits) {
        const float raise = 0.5f / float(1 << bits), x = raise * 0.69314718f;
        return {raise, 1 - x + x * x / 2};
    }
};

}  // namespace FADE_NAMESPACE
