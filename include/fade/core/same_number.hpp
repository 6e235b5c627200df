// Types of languages, vendors and frameworks for the numbers that FADE has, known by their names: no header
// of theirs is needed, and none must come first.
#pragma once
#include <cstddef>
#include <fade/core/namespace.hpp>
#include <string_view>
#include <type_traits>

namespace FADE_NAMESPACE {

struct f16;
struct bf16;
template <int Exponent, int Mantissa, int Bias, bool Fnuz>
struct float8;

namespace detail {

/// The name of T as the compiler spells it.
template <class T>
constexpr std::string_view type_name() {
    const std::string_view all = __PRETTY_FUNCTION__;
    const std::size_t begin = all.find("T = ") + 4;
    return all.substr(begin, all.find_first_of(";]", begin) - begin);
}

template <class... Names>
constexpr bool is_one_of(std::string_view name, Names... names) {
    return (... || (name == names));
}

constexpr bool names(std::string_view, const void*) { return false; }
constexpr bool names(std::string_view name, const f16*) {
    return is_one_of(name, "_Float16", "std::float16_t", "__half", "c10::Half");
}
constexpr bool names(std::string_view name, const bf16*) {
    return is_one_of(name, "__bf16", "std::bfloat16_t", "__nv_bfloat16", "__hip_bfloat16", "hip_bfloat16",
                     "c10::BFloat16");
}
constexpr bool names(std::string_view name, const float8<4, 3, 7, false>*) {
    return is_one_of(name, "__nv_fp8_e4m3", "__hip_fp8_e4m3", "c10::Float8_e4m3fn");
}
constexpr bool names(std::string_view name, const float8<5, 2, 15, false>*) {
    return is_one_of(name, "__nv_fp8_e5m2", "__hip_fp8_e5m2", "c10::Float8_e5m2");
}
constexpr bool names(std::string_view name, const float8<4, 3, 8, true>*) {
    return is_one_of(name, "__hip_fp8_e4m3_fnuz", "c10::Float8_e4m3fnuz");
}
constexpr bool names(std::string_view name, const float8<5, 2, 16, true>*) {
    return is_one_of(name, "__hip_fp8_e5m2_fnuz", "c10::Float8_e5m2fnuz");
}

}  // namespace detail

/// Do T and Number hold the same numbers in the same bits? Say so of a type of your own:
///   template <> inline constexpr bool fade::is_same_number<my::half, fade::f16> = true;
template <class T, class Number>
inline constexpr bool is_same_number =
    std::is_same_v<T, Number> || detail::names(detail::type_name<T>(), static_cast<const Number*>(nullptr));

/// Another type for the same numbers.
template <class T, class Number>
concept other_type_of = is_same_number<T, Number> && !std::is_same_v<T, Number>;

}  // namespace FADE_NAMESPACE
