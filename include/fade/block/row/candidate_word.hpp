// An element of a row that is put aside, as a word in the order of elements.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/number/ordered.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Elements that a wave, or the lanes of one row in a wave, put aside, in the order of their words: what is
/// larger, or of equal numbers the first, is larger. 16-bit elements of rows that registers hold have a word
/// of 32 bits.
template <class T, bool Resident>
struct candidate_word {
    static constexpr bool is_short = sizeof(T) == 2 && Resident;
    using type = std::conditional_t<is_short, std::uint32_t, std::uint64_t>;
    static constexpr int words = is_short ? 1 : 2;

    FADE_FN static type of(T x, int column) {
        if constexpr (is_short)
            return ((x.bits & 0x7fffu) == 0 ? 0x8000u : order_of(x)) << 16 |
                   (0xffffu - std::uint32_t(column));
        else
            return placed_number::of(convert<float>(x), column).word();
    }
    FADE_FN static placed_number placed(type word) {
        if constexpr (is_short)
            return placed_number::of(number_of(word >> 16), int(0xffffu - (word & 0xffffu)));
        else
            return placed_number::of_word(word);
    }
    /// The bits of a number that T has, in the order of numbers, and back: minus zero comes before zero.
    FADE_FN static std::uint32_t order_of(T x) {
        if constexpr (sizeof(T) == 2)
            return x.bits & 0x8000u ? ~std::uint32_t(x.bits) & 0xffffu : x.bits | 0x8000u;
        else
            return ordered_word(x);
    }
    FADE_FN static float number_of(std::uint32_t order) {
        if constexpr (sizeof(T) == 2)
            return convert<float>(T{std::uint16_t(order & 0x8000u ? order & 0x7fffu : ~order & 0xffffu)});
        else
            return ordered_number(order);
    }
};

}  // namespace FADE_NAMESPACE::block
