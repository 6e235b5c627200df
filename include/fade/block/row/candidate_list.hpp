// Elements of a row that are put aside: words in the order of elements, and lists of them in shared memory.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
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

/// A list of such words (candidate_word) from a byte of shared memory on.
template <class Block, class Candidate>
struct candidate_list {
    using word = typename Candidate::type;
    using words = vec<std::uint32_t, Candidate::words>;

    /// How many of a list come before a word; zeros stand behind it up to a multiple of Step.
    template <int Step>
    FADE_FN static int count_before(Block& block, lane_coord p, std::uint32_t list, int count, word mine) {
        using four = vec<std::uint32_t, 4>;
        constexpr int at_once = 16 / int(sizeof(word));
        int before = 0;
        FADE_ROLLED
        for (int j = 0; j < count; j += Step) {
            FADE_UNROLL
            for (int i = 0; i < Step; i += at_once) {
                const auto x =
                    block.template load_shared<four>(p, list + std::uint32_t((j + i) * int(sizeof(word))));
                FADE_UNROLL
                for (int e = 0; e < at_once; ++e) {
                    if constexpr (Candidate::is_short)
                        before += x[e] > mine ? 1 : 0;
                    else
                        before += word_of(x[2 * e], x[2 * e + 1]) > mine ? 1 : 0;
                }
            }
        }
        return before;
    }
    FADE_FN static word load(Block& block, lane_coord p, std::uint32_t from) {
        const auto x = block.template load_shared<words>(p, from);
        if constexpr (Candidate::is_short)
            return x[0];
        else
            return word_of(x[0], x[1]);
    }
    FADE_FN static void store(Block& block, lane_coord p, std::uint32_t to, word x) {
        words out;
        out[0] = std::uint32_t(x);
        if constexpr (!Candidate::is_short) out[1] = std::uint32_t(x >> 32);
        block.store_shared(p, to, out);
    }

private:
    FADE_FN static std::uint64_t word_of(std::uint32_t low, std::uint32_t high) {
        return std::uint64_t(high) << 32 | low;
    }
};

}  // namespace FADE_NAMESPACE::block
