// The attention of the host: strips of queries pass by a block of keys and values that stays in the
// second-level cache.
#pragma once
#include <cstddef>
#include <cstring>
#include <fade/atom/cpu/micro.hpp>
#include <fade/atom/cpu/soften.hpp>
#include <fade/block/pack.hpp>
#include <fade/block/schedule/tile.hpp>
#include <fade/kernel/attention/rules.hpp>
#include <fade/kernel/attention/traits.hpp>

namespace FADE_NAMESPACE::kernel {

template <class Arch, class In>
concept attends_by_panels = Arch::template atom<multiplied_as<In>>::order == block::operand_order::panel;

/// Of the host the policy says how much lies in fast memory at once: scores of a strip in the first-level
/// cache, the rest in the second. Of shorter heads more queries share the packing of keys.
template <class Arch, class In, attention_policy Policy>
    requires attends_by_panels<Arch, In>
struct attention_traits<Arch, In, Policy> {
    using atom = typename Arch::template atom<multiplied_as<In>>;
    static constexpr int queries = Policy.queries(), keys = Policy.keys, head_dim = Policy.head_dim,
                         strip = 2 * atom::m, panel = atom::n;
    static constexpr int row_elements = queries * head_dim, key_elements = keys * head_dim,
                         score_elements = strip * keys, max_queries = 3 * queries;
    static constexpr int queries_that_fit(index width) {
        return int(min_of<index>(max_queries, row_elements / (ceil_div<index>(width, panel) * panel)));
    }
    static constexpr int shared_bytes =
        (2 * row_elements + 3 * key_elements + score_elements + 2 * max_queries) * int(sizeof(float));
    static_assert(keys % panel == 0 && head_dim % panel == 0,
                  "on the host keys and head dimensions are whole panels");
};

/// The keys, and the values, of one head from a position on: rows of head_dim elements.
template <class T>
struct key_rows {
    const T* at;
    index stride;
};

/// One workgroup's queries of one head.
/// Units: elements as they are multiplied, or packs of them; probabilities are rounded to the elements of
/// packs.
template <class Traits, class Units, class Args>
class attention_panels {
    using micro = typename Traits::atom;
    using left = typename Units::left;
    using right = typename Units::right;
    static constexpr int pack = fade::atom::pack_of<left>;
    static_assert(sizeof(left) == sizeof(float) && sizeof(right) == sizeof(float) && !Units::lifted);
    using in = std::remove_cvref_t<decltype(*std::declval<Args>().q)>;
    using out = std::remove_cvref_t<decltype(*std::declval<Args>().o)>;
    using rule = std::remove_cvref_t<decltype(std::declval<Args>().rule)>;

public:
    attention_panels(std::byte* memory, const Args& args, int first_query, int head, int batch)
        : args_(args), first_(first_query), head_(head), batch_(batch), extent_(extent_of(args, batch)),
          rows_(min_of(args.tile_queries, extent_.query_count - first_query)),
          width_(ceil_div(args.value_dim, Traits::panel) * Traits::panel), depth_(packs_in(args.head_dim)),
          queries_(reinterpret_cast<left*>(memory)),
          outputs_(reinterpret_cast<float*>(queries_ + Traits::row_elements)),
          keys_(reinterpret_cast<right*>(outputs_ + Traits::row_elements)),
          values_(keys_ + Traits::key_elements),
          staged_(reinterpret_cast<in*>(values_ + Traits::key_elements)),
          scores_(reinterpret_cast<float*>(values_ + 2 * Traits::key_elements)),
          states_(reinterpret_cast<atom::row_state*>(scores_ + Traits::score_elements)),
          modified_(modifies_scores(args) || !(scale_of(args, head, args.scale_log2) >= min_factor)),
          scale_(scale_of(args, head, modified_ ? args.scale : args.scale_log2)),
          factor_(modified_ ? log2_e : scale_),
          slope_(args.rules.alibi ? args.rules.alibi[batch * args.rules.alibi_stride + head] : 0.0f),
          first_key_(args.starts_k ? max_of(args.starts_k[batch], 0) : 0) {}

    void run() {
        if (rows_ <= 0) return;
        begin();
        const key_span all = seen_by(0, rows_);
        // Whole blocks, so that sums do not depend on where tiles of queries begin; nothing is read of what
        // lies before the first key.
        const int blocks = (all.begin - first_key_) / Traits::keys;
        for (int key = first_key_ + blocks * Traits::keys; key < all.end; key += Traits::keys) {
            const int count = min_of(Traits::keys, all.end - key);
            bring(key, unseen(all, key), count);
            for (int r = 0; r < rows_; r += Traits::strip)
                step(r, min_of(Traits::strip, rows_ - r), key, count);
        }
        for (int r = 0; r < rows_; ++r) finish(r);
    }

private:
    struct key_span {
        int begin, end;
    };

    /// The keys that any of these queries sees.
    key_span seen_by(int row, int rows) const {
        const index from = index(first_) + row + extent_.last, to = from + rows - 1;
        const index begin =
                        args_.left == all_keys ? first_key_ : max_of<index>(from - args_.left, first_key_),
                    end = args_.right == all_keys ? extent_.key_count
                                                  : min_of<index>(to + args_.right + 1, extent_.key_count);
        return {int(min_of<index>(begin, extent_.key_count)), int(max_of<index>(end, 0))};
    }

    void begin() {
        const in* from = args_.q + batch_ * args_.q_strides.batch + head_ * args_.q_strides.head +
                         index(extent_.query_begin + first_) * args_.q_strides.position;
        atom::with_vectors<atom::copy_rows>(queries_, index(depth_), from, index(args_.q_strides.position),
                                            rows_, args_.head_dim);
        std::memset(outputs_, 0, sizeof(float) * std::size_t(rows_) * std::size_t(width_));
        const float sink = args_.rules.sink ? logit_as_score(args_.rules.sink[head_]) : hidden_score;
        for (int r = 0; r < rows_; ++r) states_[r] = {sink, sink == hidden_score ? 0.0f : 1.0f};
    }

    /// Infinite ones become the largest, or hidden.
    float logit_as_score(float logit) const {
        const float score = logit * (log2_e / factor_);
        return score > hidden_score ? min_of(score, -hidden_score) : hidden_score;
    }

    // ---- keys and values into the order of the micro-kernel

    void bring(int key, int first, int count) {
        const auto k = rows_of(args_.k, args_.k_strides, args_.head_dim, key + first, count - first);
        for (int j = first; j < count; j += Traits::panel)
            block::pack_panel(keys_ + j * depth_, Traits::panel,
                              block::operand<in>{k.at + (j - first) * k.stride, nullptr, nullptr, k.stride, 1,
                                                 min_of(Traits::panel, count - j)},
                              min_of(Traits::panel, count - j), args_.head_dim);
        const auto v = rows_of(args_.v, args_.v_strides, args_.value_dim, key + first, count - first);
        for (int c = 0; c < args_.value_dim; c += Traits::panel)
            block::pack_panel(values_at(first, c), Traits::panel,
                              block::operand<in>{v.at + c, nullptr, nullptr, 1, v.stride,
                                                 min_of(Traits::panel, args_.value_dim - c)},
                              min_of(Traits::panel, args_.value_dim - c), count - first);
    }

    /// Rows of pages are brought together first.
    key_rows<in> rows_of(const in* tensor, const sequence_strides& s, int dim, int key, int count) {
        const in* head = tensor + head_ / args_.group * s.head;
        if (!args_.pages.in_place)
            return {head + batch_ * s.batch + index(extent_.key_begin + key) * s.position, s.position};
        for (int i = 0; i < count; ++i) {
            const index row = args_.pages.row(batch_, key + i, s);
            if (row < 0)
                std::memset(static_cast<void*>(staged_ + i * dim), 0, sizeof(in) * std::size_t(dim));
            else
                std::memcpy(staged_ + i * dim, head + row, sizeof(in) * std::size_t(dim));
        }
        return {staged_, dim};
    }

    // ---- one strip of queries and one block of keys

    void step(int row, int rows, int key, int count) {
        const key_span seen = seen_by(row, rows);
        count = min_of(count, seen.end - key);
        if (count <= 0 || seen.begin >= key + count) return;
        const int first = unseen(seen, key);
        for (int j = first; j < count; j += Traits::panel)
            multiply(rows, queries_ + row * depth_, depth_, keys_ + j * depth_, depth_, nullptr, scores_ + j,
                     Traits::keys);
        for (int r = 0; r < rows; ++r) softmax_row(row + r, scores_ + r * Traits::keys, key, count);
        for (int c = 0; c < args_.value_dim; c += Traits::panel)
            multiply(rows, probabilities_of(scores_) + first / pack, Traits::keys, values_at(first, c),
                     packs_in(count - first), outputs_ + row * width_ + c, outputs_ + row * width_ + c,
                     width_);
    }

    static void multiply(int rows, const left* a, index a_row, const right* b, int depth, const float* from,
                         float* to, index pitch) {
        for (int r = 0, taken; r < rows; r += taken) {
            const fade::atom::micro_product<float, left, right> part{
                a + r * a_row,  a_row, 1,    b, Traits::panel, depth, from ? from + r * pitch : nullptr,
                to + r * pitch, pitch, pitch};
            if constexpr (pack == 1)
                taken = micro::execute(rows - r, part);
            else
                taken = micro::execute(rows - r, {part, nullptr});
        }
    }

    /// Scores of one query become probabilities; what was summed before is rescaled to the new maximum.
    void softmax_row(int row, float* s, int key, int count) {
        const key_span seen = seen_by(row, 1);
        const int begin = max_of(seen.begin - key, 0), end = min_of(seen.end - key, count);
        left* probabilities = probabilities_of(s);
        if (begin >= end) return clear(probabilities, 0, count);
        const int first = begin / unit * unit, last = ceil_div(end, unit) * unit;
        if (modified_) modify(row, s + first, key + first, end - first);
        if (args_.rules.bias_query >= 0) add_bias(s + begin, first_ + row, key + begin, end - begin);
        if constexpr (!std::is_same_v<rule, no_rule>)
            for (int i = begin; i < end; ++i)
                s[i] = own_score(args_.rule, s[i], batch_, head_, first_ + row, key + i);
        forbid(s, first, begin), forbid(s, end, last);
        if (args_.pages.may_lack_keys()) forbid_lacking(s, begin, end, key);
        soften(row, s, first, last, key);
        clear(probabilities, 0, first), clear(probabilities, last, count);
    }

    /// Whole units of scores, some of which may be hidden.
    void soften(int row, float* s, int first, int last, int key) {
        const int count = last - first;
        float factor;
        if constexpr (pack > 1) {
            left* probabilities = probabilities_of(s) + first / pack;
            if (!args_.rules.drop_below)
                atom::soften_wide(probabilities, s + first, count, factor_, states_ + row, &factor);
            else {
                atom::soften(s + first, count, factor_, states_ + row, &factor);
                drop(s + first, key + first, count, row);
                atom::narrow_probabilities(probabilities, s + first, count);
            }
        } else {
            atom::soften(s + first, count, factor_, states_ + row, &factor);
            if (args_.rules.drop_below) drop(s + first, key + first, count, row);
        }
        if (factor != 1.0f) atom::with_vectors<atom::rescale_row>(outputs_ + row * width_, width_, factor);
    }

    void modify(int row, float* s, int key, int count) const {
        const atom::row_rules rules{scale_, args_.rules.softcap, args_.rules.inverse_softcap, slope_,
                                    float(key - first_ - row - extent_.last)};
        atom::with_vectors<atom::rule_row>(s, count, &rules);
    }

    void add_bias(float* s, int query, int key, int count) const {
        const float* bias = args_.rules.bias + batch_ * args_.rules.bias_batch +
                            head_ * args_.rules.bias_head + index(query) * args_.rules.bias_query + key;
        for (int i = 0; i < count; ++i) s[i] += bias[i];
    }

    void drop(float* s, int key, int count, int row) const {
        const score_rules& r = args_.rules;
        const auto layer = std::uint32_t(batch_ * args_.heads + head_);
        for (int i = 0; i < count; ++i)
            s[i] = dropout_random(r.seed, r.offset, layer, std::uint32_t(first_ + row),
                                  std::uint32_t(key + i)) < r.drop_below
                       ? 0.0f
                       : s[i] * r.keep_scale;
    }

    void finish(int row) {
        float* from = outputs_ + row * width_;
        const atom::row_state state = states_[row];
        atom::with_vectors<atom::rescale_row>(
            from, args_.value_dim,
            state.sum == 0 ? 0.0f
                           : scale_at(args_.scales.v, head_ / args_.group * args_.scales.step) / state.sum);
        out* to = args_.o + batch_ * args_.o_strides.batch + head_ * args_.o_strides.head +
                  index(extent_.output_begin + first_ + row) * args_.o_strides.position;
        atom::with_vectors<atom::copy_rows>(to, index(0), from, index(0), 1, args_.output_dim);
        if (args_.lse)
            args_.lse[(index(batch_) * args_.heads + head_) * args_.seq_q + first_ + row] =
                state.maximum * (factor_ * ln_2) + __builtin_log2f(state.sum) * ln_2;
    }

    static constexpr int unit = fade::atom::soften_unit;
    static constexpr int packs_in(int elements) { return ceil_div(elements, pack); }
    /// Values from this key of a block and this column on, in packs of keys.
    right* values_at(int key, int column) const {
        return values_ + column * (Traits::keys / pack) + key / pack * Traits::panel;
    }
    /// How many keys of a block, in whole panels, lie before all that are seen.
    static int unseen(const key_span& seen, int key) {
        return max_of(seen.begin - key, 0) / Traits::panel * Traits::panel;
    }
    /// Probabilities take the place of scores: narrower ones the front of their row.
    static left* probabilities_of(float* scores) { return reinterpret_cast<left*>(scores); }
    static void forbid(float* scores, int begin, int end) {
        for (int i = begin; i < end; ++i) scores[i] = hidden_score;
    }
    /// Scores of keys whose pages do not exist.
    void forbid_lacking(float* scores, int begin, int end, int key) const {
        const page_table& pages = args_.pages;
        for (int i = begin, next; i < end; i = next) {
            const int page = pages.size.page_of(key + i);
            next = min_of(end, int(min_of<index>(index(page + 1) * pages.size.positions - key, end)));
            if (!is_page(pages.of(batch_)[page], pages.count)) forbid(scores, i, next);
        }
    }
    static void clear(left* probabilities, int begin, int end) {
        if (begin < end)
            std::memset(probabilities + begin / pack, 0,
                        sizeof(left) * std::size_t(packs_in(end) - begin / pack));
    }

    const Args& args_;
    const int first_, head_, batch_;
    const sequence_extent extent_;
    const int rows_, width_, depth_;  ///< width of a row of outputs; packs in a row of queries
    left* const queries_;
    float* const outputs_;
    right *const keys_, *const values_;
    in* const staged_;
    float* const scores_;
    atom::row_state* const states_;
    const bool modified_;                 ///< are scores scaled before the softmax?
    const float scale_, factor_, slope_;  ///< of products, and of differences of scores
    const int first_key_;
};

template <attention_policy Policy, class Block, class Args>
void attention_on_panels(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const int tiles = ceil_div(args.seq_q, args.tile_queries);
    const auto run = [&](auto units) {
        for (const block::line_work& work : block::line_schedule(block)) {
            // Of causal attention the longest first, so that threads end together.
            const int tile = tiles - 1 - work.tile;
            attention_panels<traits, decltype(units), Args>(block.shared, args, tile * args.tile_queries,
                                                            work.line, work.layer)
                .run();
        }
    };
    if constexpr (traits::atom::may_pack) {
        using packs = typename traits::atom::packs;
        if (packs::present()) return run(packs{});
    }
    run(typename traits::atom::whole{});
}

}  // namespace FADE_NAMESPACE::kernel
