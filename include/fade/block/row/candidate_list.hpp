// Words of elements in shared memory, as a lane writes and compares them.
#pragma once
#include <fade/block/row/candidate_word.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

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
