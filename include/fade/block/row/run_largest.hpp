// The largest number of runs of a row.
#pragma once
#include <cstdint>
#include <fade/block/row/operand.hpp>
#include <fade/core/config.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Grows by runs of Run elements, as Numbers (run_numbers) has them. NVIDIA GPUs compare two 16-bit floats at
/// once and keep NaN; elsewhere NaN is looked for beside the numbers.
template <class Block, class Numbers, int Run>
class run_largest {
    static constexpr bool keeps_nan = requires(float x) { Block::maximum_or_nan(x, x); };
    static constexpr bool by_words = keeps_nan && Numbers::packs;
    using element = typename Numbers::element;
    using part = std::conditional_t<by_words, std::uint32_t, float>;
    static constexpr int parts = min_of(by_words ? Run / 2 : Run, 4);  // they do not wait for each other

public:
    FADE_FN run_largest() {
        FADE_UNROLL
        for (int i = 0; i < parts; ++i) {
            if constexpr (by_words)
                part_[i] = below_all_words;
            else
                part_[i] = below_all;
        }
    }
    /// Adds those elements of a run that the row has.
    template <class Columns>
    FADE_FN void add(const Columns& columns, int first, const Numbers& run) {
        if constexpr (!keeps_nan) nan_ |= run.any_nan();  // what is no element of the row is 0 here
        const bool whole = columns.whole(first);
        if constexpr (by_words) {
            FADE_UNROLL
            for (int i = 0; i < Run / 2; ++i) {
                std::uint32_t word = run.words[i];
                if (!whole) word = held_word(columns, first + 2 * i, word);
                part_[i % parts] = Block::template maximum_or_nan<element>(part_[i % parts], word);
            }
        } else {
            FADE_UNROLL
            for (int e = 0; e < Run; ++e)
                if (whole || columns.holds(first + e)) part_[e % parts] = larger(part_[e % parts], run[e]);
        }
    }
    /// The largest; below_all where there is none. A NaN may be passed over.
    FADE_FN float number() const {
        part all = part_[0];
        FADE_UNROLL
        for (int i = 1; i < parts; ++i) all = larger(all, part_[i]);
        if constexpr (by_words)
            return larger(number_of_word<Block, element>(all, 0), number_of_word<Block, element>(all, 1));
        else
            return all;
    }
    /// Was a NaN seen beside the numbers?
    FADE_FN bool nan() const { return nan_; }
    /// The larger of two; NaN is kept, or passed over where it is on the right.
    FADE_FN static float larger(float a, float b) {
        if constexpr (keeps_nan)
            return Block::maximum_or_nan(a, b);
        else
            return Block::maximum(a, b);
    }
    /// The largest, or NaN where one was added.
    FADE_FN float number_or_nan() const { return nan_ ? __builtin_bit_cast(float, 0x7fc00000u) : number(); }

private:
    static constexpr std::uint32_t below_all_words = std::is_same_v<element, f16> ? 0xfc00fc00u : 0xff80ff80u;

    FADE_FN static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
        return Block::template maximum_or_nan<element>(a, b);
    }
    template <class Columns>
    FADE_FN static std::uint32_t held_word(const Columns& columns, int column, std::uint32_t word) {
        const std::uint32_t low = columns.holds(column) ? word : below_all_words,
                            high = columns.holds(column + 1) ? word : below_all_words;
        return (low & 0xffffu) | (high & 0xffff0000u);
    }

    part part_[parts];
    bool nan_ = false;
};

}  // namespace FADE_NAMESPACE::block
