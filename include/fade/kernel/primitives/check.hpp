// What primitives refuse before anything is written.
#pragma once
#include <array>
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/kernel/primitives/problem.hpp>
#include <limits>

namespace FADE_NAMESPACE::kernel {

/// A list that a primitive reads or writes.
struct primitive_list {
    const char* name;
    const void* data;
    index count, element_bytes;
    bool written, optional = false;

    byte_range range() const { return bytes_from(data, wide_index(count) * element_bytes); }
};

template <class T>
primitive_list list_of(const char* name, T* data, index count, bool optional = false) {
    return {name, data, count, index(sizeof(T)), !std::is_const_v<T>, optional};
}

inline void check_count(const char* name, index count) {
    require(count >= 0 && count < index(1) << 31, name, count, "it must be between 0 and 2^31 - 1");
}

/// `alignment`: elements begin at multiples of their size.
inline void check_list(const primitive_list& l) {
    if (!l.data && (l.optional || l.count == 0)) return;
    if (!l.data) throw error(l.name, "null", "the call needs it");
    const index alignment = l.element_bytes & -l.element_bytes;
    require(index(reinterpret_cast<std::uintptr_t>(l.data) % std::uintptr_t(alignment)) == 0, l.name,
            index(reinterpret_cast<std::uintptr_t>(l.data) % 4096),
            "its address must be a multiple of " + std::to_string(alignment) + " bytes");
}

/// Nothing that is written overlaps another list; a scan alone may write where it reads.
template <std::size_t N>
void check_lists(const std::array<primitive_list, N>& lists, bool in_place = false) {
    for (const primitive_list& l : lists) check_list(l);
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = i + 1; j < N; ++j) {
            const primitive_list &a = lists[i], &b = lists[j];
            if (!(a.written || b.written) || !a.range().overlaps(b.range())) continue;
            if (in_place && a.data == b.data) continue;
            throw error(b.name, std::string("in memory of ") + a.name,
                        in_place ? "a scan writes where it reads only from the same first element on"
                                 : "what a primitive writes may overlap nothing else");
        }
}

/// Limits of the bins as the elements' type holds them.
template <class T>
bin_of<T> checked_bins(const histogram_problem& p) {
    using number = typename bin_of<T>::number;
    constexpr double max = double(std::numeric_limits<number>::max());
    constexpr double min = double(std::numeric_limits<number>::lowest());
    require(p.bins >= 1 && p.bins <= 65536, "bins", p.bins, "it must be between 1 and 65536");
    require_real(p.lower >= min && p.lower <= max, "lower", p.lower, "the elements' type must hold it");
    require_real(p.upper > p.lower && p.upper <= max && p.upper - p.lower <= (max - min), "upper", p.upper,
                 "it must be above lower, and the elements' type must hold it");
    const bin_of<T> out{number(p.lower), number(p.upper), p.bins};
    require_real(out.upper > out.lower, "upper", p.upper,
                 "in the elements' type it must still be above lower");
    if constexpr (std::is_floating_point_v<number>)
        require_real(out.upper - out.lower <= number(max), "upper", p.upper,
                     "upper - lower must be finite in the elements' type");
    else
        require_real(double(out.lower) == p.lower && double(out.upper) == p.upper, "lower", p.lower,
                     "limits of whole numbers must be whole");
    return out;
}

}  // namespace FADE_NAMESPACE::kernel
