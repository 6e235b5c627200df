// What happens to scores between the two products: windows, and the rules of the general kernel.
#pragma once
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/philox.hpp>
#include <fade/wave/chain.hpp>

namespace fade::kernel {

inline constexpr float minus_infinity = -__builtin_huge_valf();

/// A query sees the keys in [its position - left, its position + right].
template <class Args>
FADE_FN bool visible(const Args& args, const sequence_extent& e, int key, int query) {
    const int distance = key - query - e.last;
    return key < e.key_count && distance <= args.right && -distance <= args.left;
}

/// Calls f(score, key, query) for every score of every lane.
template <class Block, class Scores, class F>
FADE_FN void each_score(Block& block, Scores& scores, int first_key, int first_query, int wave_queries, F f) {
    using atom = typename Scores::atom;
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int i = 0; i < Scores::rows; ++i) FADE_UNROLL
            for (int j = 0; j < Scores::columns; ++j) FADE_UNROLL
                for (int g = 0; g < atom::d_size; ++g)
                    f(scores.at(p, i, j)[g], first_key + i * atom::m + wave::chain<atom>::key_at(p.lane, g), first_query + p.wave * wave_queries + j * atom::n + atom::d_at(p.lane, g).minor);
    });
}

/// c tanh(x / c), by the exponential: tanh(y) = 1 - 2 / (1 + exp(2 y)).
template <class Block>
FADE_FN float soft_cap(float x, const score_rules& rules) {
    return rules.softcap * (1.0f - 2.0f / (1.0f + Block::exp2(x * rules.inverse_softcap * 2.8853901f)));
}

/// A score of the general kernel, in powers of two: scaled, capped, bent and masked.
template <class Block, class Args>
FADE_FN float ruled_score(const Args& args, const sequence_extent& e, float raw, float slope, int key, int query) {
    float s = raw * args.scale_log2;
    if (args.rules.softcap > 0) s = soft_cap<Block>(s, args.rules);
    const int distance = key - query - e.last;
    s -= slope * float(distance < 0 ? -distance : distance);
    return visible(args, e, key, query) ? s : minus_infinity;
}

/// Drops weights at random; the sums keep them.
template <class Block, class Scores, class Args>
FADE_FN void drop_weights(Block& block, Scores& weights, const Args& args, std::uint32_t layer, int first_key, int first_query, int wave_queries) {
    const score_rules& r = args.rules;
    each_score(block, weights, first_key, first_query, wave_queries, [&](float& w, int key, int query) {
        w = weight_random(r.seed, r.offset, layer, std::uint32_t(query), std::uint32_t(key)) < r.drop_below ? 0.0f : w * r.keep_scale;
    });
}

}  // namespace fade::kernel
