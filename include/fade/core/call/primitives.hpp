// What a primitive is given, as every backend takes it, and the functions of elements that it applies.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// How elements become one: their sum, the smallest or the largest. A NaN stays one in all three.
enum class reduce_op { sum, min, max };

constexpr const char* name(reduce_op op) {
    constexpr const char* names[] = {"sum", "min", "max"};
    return names[int(op)];
}

/// Two elements as one.
template <reduce_op Op>
struct reduce_pair {
    template <class T>
    FADE_FN constexpr T operator()(const T& a, const T& b) const {
        if constexpr (Op == reduce_op::sum)
            return T(a + b);
        else if constexpr (std::is_floating_point_v<T>)
            return is_nan(a) || (Op == reduce_op::min ? a < b : b < a) ? a : b;
        else
            return (Op == reduce_op::min ? a < b : b < a) ? a : b;
    }
};

/// What no element changes: 0, the largest or the smallest that T holds.
template <reduce_op Op, class T>
constexpr T reduce_identity() {
    constexpr T sign = Op == reduce_op::min ? T(1) : T(-1);
    if constexpr (Op == reduce_op::sum)
        return T(0);
    else if constexpr (std::is_floating_point_v<T>)
        return sign * T(__builtin_huge_val());
    else if constexpr (std::is_unsigned_v<T>)
        return Op == reduce_op::min ? T(-1) : T(0);
    else
        return Op == reduce_op::min ? max_whole<T> : min_whole<T>;
}

/// Calls f with an operation that the compiler then knows.
template <class F>
void with_reduce_op(reduce_op op, F&& f) {
    if (op == reduce_op::sum) return f(std::integral_constant<reduce_op, reduce_op::sum>{});
    if (op == reduce_op::min) return f(std::integral_constant<reduce_op, reduce_op::min>{});
    f(std::integral_constant<reduce_op, reduce_op::max>{});
}

/// The type that elements are combined in: f32 for 16-bit floats, else their own.
template <class T>
using reduced_t = std::conditional_t<is_storage<T>, float, T>;

/// An element as the type that it is combined in.
template <class T>
struct widened {
    /// x, widened.
    FADE_FN constexpr reduced_t<T> operator()(const T& x) const {
        if constexpr (is_storage<T>)
            return to_f32(x);
        else
            return x;
    }
};

/// The bin of an element, of `bins` equal ones in [lower, upper); -1 outside. Floats are scaled in their own
/// type (16-bit ones in f32), whole numbers of at most 32 bits exactly.
template <class T>
struct bin_of {
    using number = reduced_t<T>;
    number lower, upper;
    int bins;

    FADE_FN constexpr int operator()(const T& element) const {
        const number x = widened<T>{}(element);
        if (!(x >= lower && x < upper)) return -1;
        if constexpr (std::is_floating_point_v<number>) {
            const int at = int((x - lower) / (upper - lower) * number(bins));
            return at < bins ? at : bins - 1;
        } else {
            const std::uint64_t above = std::uint64_t(index(x) - index(lower));
            return int(above * std::uint64_t(bins) / std::uint64_t(index(upper) - index(lower)));
        }
    }
};

/// Where a segment begins, or ends: offsets on the device may say anything, and elements end at `count`.
struct segment_edge {
    const int* offsets;
    int count;
    bool end;

    FADE_FN constexpr int clamped(int offset) const {
        return offset < 0 ? 0 : offset < count ? offset : count;
    }
    FADE_FN constexpr int operator()(int segment) const {
        const int begin = clamped(offsets[segment]);
        if (!end) return begin;
        const int behind = clamped(offsets[segment + 1]);
        return behind < begin ? begin : behind;
    }
};

/// Memory that a call with no elements sets to zero.
struct zeroed_memory {
    void* at;           ///< where it begins
    std::size_t bytes;  ///< how long it is
};

template <class K>
struct sort_arguments {
    const K* keys;
    K* sorted;
    index count;
    bool descending;

    bool empty() const { return count == 0; }
    zeroed_memory of_nothing() const { return {nullptr, 0}; }
};

template <class K, class V>
struct sort_pairs_arguments {
    const K* keys;
    const V* values;
    K* sorted;
    V* sorted_values;
    index count;
    bool descending;

    bool empty() const { return count == 0; }
    zeroed_memory of_nothing() const { return {nullptr, 0}; }
};

template <class T>
struct scan_arguments {
    const T* x;
    T* out;
    index count;
    bool exclusive;
    T first;

    bool empty() const { return count == 0; }
    zeroed_memory of_nothing() const { return {nullptr, 0}; }
};

template <class T>
struct select_arguments {
    const T* x;
    const std::uint8_t* flags;
    T* out;
    int* selected;
    index count;

    bool empty() const { return count == 0; }
    zeroed_memory of_nothing() const { return {selected, sizeof(int)}; }
};

template <class T>
struct reduce_arguments {
    const T* x;
    reduced_t<T>* out;
    index count;
    reduce_op op;

    bool empty() const { return count == 0; }
    zeroed_memory of_nothing() const { return {out, sizeof *out}; }
};

template <class T>
struct segmented_reduce_arguments {
    const T* x;
    const int* offsets;
    reduced_t<T>* out;
    index count, segments;
    reduce_op op;

    bool empty() const { return segments == 0; }
    zeroed_memory of_nothing() const { return {nullptr, 0}; }
};

template <class T>
struct histogram_arguments {
    const T* x;
    int* counts;
    index count;
    bin_of<T> bin;

    bool empty() const { return count == 0; }
    zeroed_memory of_nothing() const { return {counts, std::size_t(bin.bins) * sizeof(int)}; }
};

template <class T>
struct top_k_arguments {
    const T* x;
    T* values;
    int* places;
    index count, k;

    bool empty() const { return k == 0; }
    zeroed_memory of_nothing() const { return {nullptr, 0}; }
};

}  // namespace FADE_NAMESPACE
