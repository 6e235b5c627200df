// What happens to scores between the two products: windows, and the rules of the general kernel.
// Each rule is a pass of its own over the registers, behind a branch that all waves take alike: what is not
// asked costs nothing.
#pragma once
#include <fade/block/chain/each_score.hpp>
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/philox.hpp>
#include <fade/kernel/attention/tile_rows.hpp>

namespace FADE_NAMESPACE::kernel {

using block::each_score, block::fence_scores, block::score_column, wave::fenced, wave::kept,
    wave::of_all_lanes;

/// A query sees the keys in [its position - left, its position + right]; what it does not see is hidden.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void mask_scores(Block& block, Scores& scores, const Args& args, const sequence_extent& e,
                         int first_key, const Rows& rows) {
    each_score(block, scores, first_key, rows, [&](float& s, const score_column& at, int key) {
        const int end =
            (args.right == all_keys ? e.key_count : min_of(at.query + e.last + args.right + 1, e.key_count)) -
            at.first_key;
        s = fenced<Block>(key < end ? s : hidden_score);
    });
    if (args.left == all_keys) return;
    each_score(block, scores, first_key, rows, [&](float& s, const score_column& at, int key) {
        s = fenced<Block>(key >= at.query + e.last - args.left - at.first_key ? s : hidden_score);
    });
}

/// c tanh(x / c), by the exponential: tanh(y) = 1 - 2 / (1 + exp(2 y)). For small y that cancels, which f32
/// would show: there the series of tanh, cut behind y^7, is exact to 2^-24.
template <class Block, class In>
FADE_FN float soft_cap(float x, const score_rules& rules, float inverse_softcap) {
    constexpr float two_log2_e = 2.8853901f;
    if constexpr (!std::is_same_v<In, float>) {
        const float e = Block::exp2(fenced<Block>(x * (inverse_softcap * two_log2_e)));
        return fenced<Block>(rules.softcap - 2.0f * rules.softcap * Block::reciprocal(1.0f + e));
    }
    const float y = fenced<Block>(x * inverse_softcap), z = y * y, e = Block::exp2(y * two_log2_e);
    const float series = y * (1.0f + z * (-0.33333333f + z * (0.13333333f - z * 0.053968254f)));
    return fenced<Block>(rules.softcap * (z < 0.04f ? series : 1.0f - 2.0f * Block::reciprocal(1.0f + e)));
}

/// Do rules act on scores that are scaled?
template <class Args>
FADE_FN bool modifies_scores(const Args& args) {
    return has_score_mod<decltype(args.rule)> || args.rules.softcap > 0 || args.rules.alibi ||
           args.rules.bias_query >= 0;
}

/// Is there no rule beside windows and a sink, and one scale for all rows of a tile?
template <class Args>
FADE_FN bool only_masks(const Args& args) {
    return std::is_same_v<std::remove_cvref_t<decltype(args.rule)>, no_rule> && !modifies_scores(args) &&
           args.rules.drop_below == 0 && !args.scales.q;
}

/// What the rules of one head are made of, in registers of the lanes where scalar ones are scarce. Of the
/// heads of a group it is what they share: the rest is read where it acts.
template <class Block, class Args, class Rows>
struct head_rules {
    float scale, slope, inverse_softcap, keep_scale;
    const float* bias;  ///< of query 0 and key 0; of the heads of a group also of head 0
    bool modified;      ///< are scores scaled before the softmax, for rules or since it takes no such factor?

    FADE_FN head_rules(const Args& args, const query_tile& at)
        : scale(scale_here(args, at.head, args.scale_log2)),
          slope(of_all_lanes<Block>(!Rows::grouped && args.rules.alibi
                                        ? args.rules.alibi[at.batch * args.rules.alibi_stride + at.head]
                                        : 0.0f)),
          inverse_softcap(kept<Block>(args.rules.inverse_softcap)), keep_scale(args.rules.keep_scale),
          bias(kept<Block>(args.rules.bias + at.batch * args.rules.bias_batch +
                           (Rows::grouped ? 0 : at.head * args.rules.bias_head))),
          modified(modifies_scores(args) || own_scales(args) || !(scale >= min_factor)) {
        if (modified) scale = scale_here(args, at.head, args.scale);
    }

    /// What the softmax is to multiply differences of scores by.
    FADE_FN float factor() const { return modified ? log2_e : scale; }

    /// Do rows have factors of their own?
    FADE_FN static bool own_scales(const Args& args) {
        return Rows::grouped && args.scales.q && args.scales.step;
    }

private:
    FADE_FN static float scale_here(const Args& args, int head, float scale) {
        return own_scales(args) ? scale * scale_at(args.scales.k, head / args.group)
                                : scale_of(args, head, scale);
    }
};

/// Scores as the formulas have them: scaled, capped, and lowered by their distance.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void modify_scores(Block& block, Scores& scores, const Args& args, const sequence_extent& e,
                           const head_rules<Block, Args, Rows>& head, int first_key, const Rows& rows) {
    const auto all = [&](auto f) { each_score(block, scores, first_key, rows, f); };
    if (head.own_scales(args))
        all([&](float& s, const score_column& at, int) { s = fenced<Block>(s * args.scales.q[at.head]); });
    if (args.rules.softcap > 0)
        all([&](float& s, const score_column&, int) {
            s = soft_cap<Block, std::remove_cvref_t<decltype(*args.q)>>(fenced<Block>(s * head.scale),
                                                                        args.rules, head.inverse_softcap);
        });
    else
        all([&](float& s, const score_column&, int) { s = fenced<Block>(s * head.scale); });
    const auto lower = [&](float s, float slope, const score_column& at, int key) {
        return s -
               slope * __builtin_fabsf(fenced<Block>(float(at.first_key - at.query - e.last) + float(key)));
    };
    if constexpr (!Rows::grouped) {
        if (head.slope != 0)
            all([&](float& s, const score_column& at, int key) { s = lower(s, head.slope, at, key); });
    } else if (args.rules.alibi) {
        const int first = block.id_z() * args.rules.alibi_stride;
        all([&](float& s, const score_column& at, int key) {
            s = lower(s, args.rules.alibi[first + at.head], at, key);
        });
    }
}

/// Calls f(score, column, key) with positions that exist; scores of others are hidden later.
template <class Block, class Scores, class Rows, class F>
FADE_FN void each_existing(Block& block, Scores& scores, const sequence_extent& e, int first_key,
                           const Rows& rows, F f) {
    each_score(block, scores, first_key, rows, [&](float& s, score_column at, int key) {
        at.query = min_of(at.query, e.query_count - 1);
        s = fenced<Block>(f(s, at, min_of(at.first_key + key, e.key_count - 1)));
    });
}

/// Scores raised by the bias of their query and key.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void bias_scores(Block& block, Scores& scores, const Args& args, const sequence_extent& e,
                         const head_rules<Block, Args, Rows>& head, int first_key, const Rows& rows) {
    each_existing(block, scores, e, first_key, rows, [&](float s, const score_column& at, int key) {
        const index own_head = Rows::grouped ? at.head * args.rules.bias_head : 0;
        return s + head.bias[own_head + index(at.query) * args.rules.bias_query + key];
    });
}

/// What a rule of the user's own makes of one score.
template <class Rule>
FADE_FN float own_score(const Rule& rule, float s, int batch, int head, int query, int key) {
    if constexpr (has_score_mod<Rule>) s = rule.score_mod(s, batch, head, query, key);
    if constexpr (has_mask_mod<Rule>) s = rule.mask_mod(batch, head, query, key) ? s : hidden_score;
    return s;
}

template <class Block, class Scores, class Args, class Rows>
FADE_FN void apply_score_mod(Block& block, Scores& scores, const Args& args, const query_tile& tile,
                             int first_key, const Rows& rows) {
    each_existing(block, scores, tile.extent, first_key, rows, [&](float s, const score_column& at, int key) {
        return own_score(args.rule, s, tile.batch, at.head, at.query, key);
    });
}

/// Drops probabilities at random; the sums keep them. One block of random numbers serves four keys where a
/// lane holds them together.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void drop_probabilities(Block& block, Scores& probabilities, const Args& args, float keep_scale,
                                int batch, int first_key, const Rows& rows) {
    constexpr bool aligned = block::keys_in_runs_of<typename Scores::atom>(4);
    const score_rules& r = args.rules;
    philox_block random{};  // of the column that the last score belonged to
    each_score(block, probabilities, first_key, rows, [&](float& w, const score_column& at, int key) {
        std::uint32_t from = std::uint32_t(at.first_key + key);
        Block::keep(from);  // one after the other: all at once they would not fit the registers
        if (!aligned || key % 4 == 0)
            random = probability_block(r.seed, r.offset, std::uint32_t(batch * args.heads + at.head),
                                       std::uint32_t(at.query), from / 4);
        const std::uint32_t drawn = aligned ? random.word[key % 4] : word_of(random, from % 4);
        w = fenced<Block>(drawn < r.drop_below ? 0.0f : w * keep_scale);
    });
}

}  // namespace FADE_NAMESPACE::kernel
