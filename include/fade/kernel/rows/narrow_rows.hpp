// Rows written in their output type: floats as they are, 8-bit types with a scale of their own.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/call/row_tensor.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class T>
inline constexpr bool needs_row_scale = sizeof(T) == 1;

/// The largest number of an 8-bit type.
template <class T>
FADE_FN constexpr float largest_of() {
    if constexpr (std::is_same_v<T, i8>)
        return 127.0f;
    else
        return to_f32(T{T::largest});
}

/// x in an 8-bit type, to nearest with ties to even; beyond the largest number it is that. i8 has no NaN: it
/// becomes 0 there, whatever its bits.
template <class T>
FADE_FN T narrowed(float x) {
    constexpr float max = largest_of<T>();
    const float inside = x > max ? max : x < -max ? -max : x;
    if constexpr (std::is_same_v<T, i8>) {
        constexpr float magic = 12582912.0f;  // 1.5 * 2^23: adding it leaves the integer in the low bits
        const float found = is_nan(x) ? 0.0f : inside;
        return T(std::int32_t(std::bit_cast<std::uint32_t>(found + magic) << 8) >> 8);
    } else {
        return convert<T>(inside);
    }
}

/// The magnitude of what f gives. i8 has no NaN: there a NaN's is infinite, and its row's scale tells of it.
template <class Out, class F>
struct magnitude_of {
    const F& f;
    template <class... X>
        requires std::is_invocable_v<const F&, X...>
    FADE_FN float operator()(X... x) const {
        const float magnitude = __builtin_fabsf(f(x...));
        if constexpr (std::is_same_v<Out, i8>)
            return is_nan(magnitude) ? __builtin_inff() : magnitude;
        else
            return magnitude;
    }
};

/// What f gives, in units of a row's scale.
template <class Out, class F>
struct in_units {
    const F& f;
    float inverse_scale;
    template <class... X>
        requires std::is_invocable_v<const F&, X...>
    FADE_FN Out operator()(X... x) const {
        return narrowed<Out>(f(x...) * inverse_scale);
    }
};

/// y = f(elements of xs...), of an 8-bit type divided by scales[row], the largest magnitude of the row over
/// the largest number of the type (1 for a row of zeros). A row of i8 that has a NaN gets an infinite scale.
template <class Row, class Out, class F, class... Operands>
FADE_FN void write_rows(Row& row, const row_tensor<Out>& y, float* scales, F f, const Operands&... xs) {
    if constexpr (needs_row_scale<Out>) {
        const float max = row.max(magnitude_of<Out, F>{f}, xs...);
        const float scale = max > 0 ? max / largest_of<Out>() : 1.0f;
        row.put(scales, scale);
        row.write(y, in_units<Out, F>{f, 1 / scale}, xs...);
    } else {
        row.write_normal(y, f, xs...);
    }
}

}  // namespace FADE_NAMESPACE::kernel
