// What happens to scores between the two products: windows, and the rules of the general kernel.
// Each rule is a pass of its own over the registers, behind a branch that all waves take alike: what is not asked costs nothing.
#pragma once
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/philox.hpp>
#include <fade/wave/chain.hpp>

namespace fade::kernel {

inline constexpr float minus_infinity = -__builtin_huge_valf();

/// A column of scores that a lane holds a part of: its query, and the key of its first register.
struct score_column {
    int query, first_key;
};

/// How much further than a column's first key the key of register g of atom row i lies; the same for all lanes.
template <class Atom>
FADE_FN constexpr int key_offset(int i, int g) { return i * Atom::m + wave::chain<Atom>::key_at(0, g) - wave::chain<Atom>::key_at(0, g % Atom::lane_columns); }

/// Calls f(place, column, row count of atoms, element) for every column of every lane; element(i, g) is its score in register g of atom row i.
template <class Block, class Scores, class F>
FADE_FN void each_column(Block& block, Scores& scores, int first_key, int first_query, int wave_queries, F f) {
    using atom = typename Scores::atom;
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int j = 0; j < Scores::columns; ++j) FADE_UNROLL
            for (int c = 0; c < atom::lane_columns; ++c)
                f(score_column{first_query + p.wave * wave_queries + j * atom::n + atom::d_at(p.lane, c).minor, first_key + wave::chain<atom>::key_at(p.lane, c)},
                  [&](auto each) {
                      FADE_UNROLL
                      for (int i = 0; i < Scores::rows; ++i) FADE_UNROLL
                          for (int g = c; g < atom::d_size; g += atom::lane_columns) each(scores.at(p, i, j)[g], key_offset<atom>(i, g));
                  });
    });
}

/// Keeps a score where `seen(key)` holds for `bound`, one after the other: a wave's comparisons all at once would not fit the scalar registers.
template <class Block, class Seen>
FADE_FN void keep_seen(float& score, std::uint32_t& bound, Seen seen) {
    Block::keep(bound);
    auto bits = __builtin_bit_cast(std::uint32_t, seen(int(bound)) ? score : minus_infinity);
    Block::keep(bits);
    score = __builtin_bit_cast(float, bits);
}

/// A query sees the keys in [its position - left, its position + right]; what it does not see becomes minus infinity.
template <class Block, class Scores, class Args>
FADE_FN void mask_scores(Block& block, Scores& scores, const Args& args, const sequence_extent& e, int first_key, int first_query, int wave_queries) {
    each_column(block, scores, first_key, first_query, wave_queries, [&](const score_column& at, auto each) {
        const int position = at.query + e.last;
        std::uint32_t end = std::uint32_t((args.right == all_keys ? e.key_count : least(position + args.right + 1, e.key_count)) - at.first_key);
        each([&](float& s, int key) { keep_seen<Block>(s, end, [&](int bound) { return key < bound; }); });
        if (args.left == all_keys) return;
        std::uint32_t begin = std::uint32_t(position - args.left - at.first_key);
        each([&](float& s, int key) { keep_seen<Block>(s, begin, [&](int bound) { return key >= bound; }); });
    });
}

/// c tanh(x / c), by the exponential: tanh(y) = 1 - 2 / (1 + exp(2 y)).
template <class Block>
FADE_FN float soft_cap(float x, const score_rules& rules) {
    return rules.softcap * (1.0f - 2.0f * Block::reciprocal(1.0f + Block::exp2(x * rules.inverse_softcap * 2.8853901f)));
}

/// Do rules act on scores that are in powers of two already? Then the softmax scales no more.
template <class Args>
FADE_FN bool bends(const Args& args) { return args.rules.softcap > 0 || args.rules.alibi || args.scale_log2 < 0; }

/// Scores in powers of two: scaled, capped, and lowered by their distance.
template <class Block, class Scores, class Args>
FADE_FN void bend_scores(Block& block, Scores& scores, const Args& args, const sequence_extent& e, float slope, int first_key, int first_query, int wave_queries) {
    each_column(block, scores, first_key, first_query, wave_queries, [&](const score_column& at, auto each) {
        if (args.rules.softcap > 0) each([&](float& s, int) { s = soft_cap<Block>(s * args.scale_log2, args.rules); });
        else each([&](float& s, int) { s *= args.scale_log2; });
        if (args.rules.alibi) {
            const float away = float(at.first_key - at.query - e.last);
            each([&](float& s, int key) { s -= slope * __builtin_fabsf(away + float(key)); });
        }
    });
}

/// Drops weights at random; the sums keep them. One block of random numbers serves four keys where a lane holds them together.
template <class Block, class Scores, class Args>
FADE_FN void drop_weights(Block& block, Scores& weights, const Args& args, std::uint32_t layer, int first_key, int first_query, int wave_queries) {
    using atom = typename Scores::atom;
    constexpr bool aligned = wave::chain<atom>::key_at(atom::lanes - 1, 0) % 4 == 0 && wave::chain<atom>::key_at(atom::n, 0) % 4 == 0;
    const score_rules& r = args.rules;
    each_column(block, weights, first_key, first_query, wave_queries, [&](const score_column& at, auto each) {
        philox_block random{};
        each([&](float& w, int key) {
            std::uint32_t from = std::uint32_t(at.first_key + key);
            Block::keep(from);   // one after the other: all at once they would not fit the registers
            if (!aligned || key % 4 == 0) random = weight_block(r.seed, r.offset, layer, std::uint32_t(at.query), from / 4);
            const std::uint32_t drawn = aligned ? random.word[key % 4] : word_of(random, from % 4);
            auto bits = __builtin_bit_cast(std::uint32_t, drawn < r.drop_below ? 0.0f : w * r.keep_scale);
            Block::keep(bits);
            w = __builtin_bit_cast(float, bits);
        });
    });
}

}  // namespace fade::kernel
