// The element types of row operators.
#pragma once
#include <fade/core/dtype.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class T>
inline constexpr bool is_row_float =
    std::is_same_v<T, float> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// Compiles where In and More... are floats that rows are read as.
template <class In, class... More>
constexpr void check_row_types() {
    static_assert(
        is_row_float<In> && (is_row_float<More> && ...),
        "row operators read and write f32, f16 and bf16 (fade::f16, fade::bf16): convert the tensor to one "
        "of those");
}

/// As check_row_types(); y may also have 8 bits, with a scale for each row.
template <class Out, class... In>
constexpr void check_norm_types() {
    check_row_types<In...>();
    static_assert(is_row_float<Out> || sizeof(Out) == 1,
                  "a norm writes f32, f16, bf16, an 8-bit float or i8: let y be of one of those");
}

}  // namespace FADE_NAMESPACE::kernel
