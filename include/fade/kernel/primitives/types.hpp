// The element types of primitives.
#pragma once
#include <fade/core/dtype.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class T>
inline constexpr bool is_whole_of_primitives =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
inline constexpr bool is_real_of_primitives = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool is_half_of_primitives = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

template <class K>
constexpr void check_key_type() {
    static_assert(is_whole_of_primitives<K> || is_real_of_primitives<K> || is_half_of_primitives<K>,
                  "keys are whole numbers of 32 or 64 bits, f64, f32, f16 or bf16: convert them to one of "
                  "those");
}

template <class V>
constexpr void check_value_type() {
    static_assert(std::is_trivially_copyable_v<V> && (sizeof(V) == 4 || sizeof(V) == 8),
                  "sort_pairs carries values of 4 or 8 bytes: sort places (i32), and fetch larger values by "
                  "them");
}

template <class T>
constexpr void check_scanned_type() {
    static_assert(is_whole_of_primitives<T> || is_real_of_primitives<T>,
                  "scans sum whole numbers of 32 or 64 bits, f64 or f32: convert the list to one of those");
}

template <class T>
constexpr void check_reduced_type() {
    static_assert(is_whole_of_primitives<T> || is_real_of_primitives<T> || is_half_of_primitives<T>,
                  "reductions take whole numbers of 32 or 64 bits, f64, f32, f16 or bf16: convert the list "
                  "to one of those");
}

template <class T>
constexpr void check_selected_type() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                  "select moves elements of at most 16 bytes: select places (i32), and fetch larger ones by "
                  "them");
}

template <class T>
constexpr void check_counted_type() {
    static_assert((std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4) ||
                      is_real_of_primitives<T> || is_half_of_primitives<T>,
                  "histograms count whole numbers of at most 32 bits, f64, f32, f16 or bf16: convert the "
                  "list to one of those");
}

}  // namespace FADE_NAMESPACE::kernel
