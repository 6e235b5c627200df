// Attention where four waves share a matrix unit: the three bodies.
#pragma once
#include <fade/kernel/attention/decode.hpp>
#include <fade/kernel/attention/group_walk.hpp>

namespace fade::kernel {

/// A tile of queries, and the keys that it sees.
template <class Traits>
struct group_task {
    query_tile at;
    key_range range;

    FADE_FN bool exists() const { return at.first_query < at.extent.query_count; }
    FADE_FN int tiles() const { return ceil_div(range.end - range.begin, Traits::keys); }
    FADE_FN int key(int n) const { return range.begin + n * Traits::keys; }
    /// What is read of a tensor of keys or values.
    template <class Rows>
    FADE_FN position_range<Rows> keys_in(const Rows& rows, int dimensions) const { return {rows, range.begin, range.end, dimensions}; }
};

template <class Traits, class Block, class Args>
FADE_FN group_task<Traits> group_task_of(Block& block, const Args& args, int x) {
    const query_tile at = place_of_tile<Traits>(x, block, args);
    return {at, keys_of<Traits>(args, at.extent, at.first_query)};
}

template <class T>
FADE_FN block::even_rows<T> rows_of(const block::bounded_operand<T>& o) { return {o.tile, int(o.row_stride)}; }

template <class Traits, class Args>
FADE_FN auto queries_of_task(const Args& args, const group_task<Traits>& task) {
    const auto rows = rows_of(queries_of(args, task.at));
    return position_range<decltype(rows)>{rows, 0, task.at.extent.query_count - task.at.first_query, args.head_dim};
}

template <class Traits, class Block, class Args>
FADE_FN auto group_walk_of(Block& block, const Args& args, const group_task<Traits>& task, float sink) {
    const auto k = rows_of(keys_of_head(args, task.at, 0)), v = rows_of(values_of_head(args, task.at, 0));
    return group_walk<Block, Traits, std::remove_const_t<decltype(k)>>(block, task.keys_in(k, args.head_dim), task.keys_in(v, args.value_dim), sink);
}

template <attention_policy Policy, class Block, class Args>
using group_traits_of = group_traits<typename Block::arch, std::remove_cvref_t<decltype(*Args::q)>, Policy>;

/// Walks over all tiles: `inside` makes weights of scores that all queries see, `edge(n)` gives what does so for tile n.
template <class Traits, class Block, class Args, class Walk, class Inside, class Edge>
FADE_FN void walk_group(Block& block, const Args& args, const group_task<Traits>& task, Walk& walk, Inside inside, Edge edge) {
    const int tiles = task.tiles(), full = (task.range.full_end - task.range.begin) / Traits::keys;
    if (tiles == 0) return;
    int n = 1;
    walk.begin(block, queries_of_task(args, task), edge(0));
    for (; n < full; ++n) walk.step(block, n, inside);
    for (; n < tiles; ++n) walk.step(block, n, edge(n));
    walk.end(block, tiles - 1);
}

/// Full, causal and padded attention: only the last tiles can be partly visible. Waves without a query multiply, but soften nothing.
template <class Traits, class Block, class Args, class Walk>
FADE_FN void walk_group_plainly(Block& block, const Args& args, const group_task<Traits>& task, Walk& walk, float scale_log2, bool busy) {
    walk_group(block, args, task, walk, [&, scale_log2, busy](auto& walk, auto&) { if (busy) walk.soften(block, scale_log2); },
        [&](int n) {
            return [&, n](auto& walk, auto& scores) {
                if (!busy) return;
                mask_scores(block, scores, args, task.at.extent, task.key(n), task.at.first_query, Traits::wave_queries);
                walk.soften(block, scale_log2);
            };
        });
}

/// Every rule on every tile.
template <class Traits, class Block, class Args, class Walk>
FADE_FN void walk_group_by_rules(Block& block, const Args& args, const group_task<Traits>& task, Walk& walk) {
    const head_rules<Block, Args> head(args, task.at);
    const bool bent = bends(args);
    const float scale = bent ? 1.0f : head.scale;
    auto whole = task;
    whole.range.full_end = task.range.begin;
    walk_group(block, args, whole, walk, [](auto&, auto&) {}, [&](int n) {
        return [&, n](auto& walk, auto& scores) {
            rule_scores<Traits>(block, scores, args, task.at, task.range, head, bent, task.key(n));
            walk.soften(block, scale);
            rule_weights<Traits>(block, scores, args, task.at, head, task.key(n));
        };
    });
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void group_attention_body(Block& block, const Args& args) {
    using traits = group_traits_of<Policy, Block, Args>;
    const auto task = group_task_of<traits>(block, args, block.id_x());
    if (!task.exists()) return;
    auto walk = group_walk_of(block, args, task, minus_infinity);
    walk_group_plainly(block, args, task, walk, args.scale_log2, true);
    store_attention<traits>(block, walk, args, task.at);
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void general_group_attention_body(Block& block, const Args& args) {
    using traits = group_traits_of<Policy, Block, Args>;
    const auto task = group_task_of<traits>(block, args, block.id_x());
    if (!task.exists()) return;
    auto walk = group_walk_of(block, args, task, sink_of(args, task.at.head));
    walk.value_scale = value_scale_of(args, task.at);
    walk_group_by_rules(block, args, task, walk);
    store_attention<traits>(block, walk, args, task.at);
}

/// Has this wave a query?
template <class Traits, class Block>
FADE_FN bool has_queries(Block& block, const group_task<Traits>& task) {
    bool some = false;
    block.each_wave([&](wave_place w) { some = some || task.at.first_query + w.wave * Traits::wave_queries < task.at.extent.query_count; });
    return some;
}

/// Few queries over many keys, which workgroups share and which may lie in pages. Without rules only the ends of what is visible are masked.
template <attention_policy Policy, class Block, class Args>
FADE_FN void decode_group_attention_body(Block& block, const Args& args) {
    using traits = group_traits_of<Policy, Block, Args>;
    using rows = cached_rows<std::remove_cvref_t<decltype(*args.k)>>;
    const int splits = args.splits.count, split = block.id_x() % splits;
    auto task = group_task_of<traits>(block, args, block.id_x() / splits);
    if (!task.exists()) return;
    const int full_end = task.range.full_end;
    task.range = part_of<traits>(task.range, split, splits);
    task.range.full_end = most(task.range.begin, least(task.range.end, full_end));   // masks take time where a matrix unit multiplies
    group_walk<Block, traits, rows> walk(block, task.keys_in(rows_of_cache<Block>(args.k, args.k_strides, args, task.at), args.head_dim),
                                         task.keys_in(rows_of_cache<Block>(args.v, args.v_strides, args, task.at), args.value_dim), split == 0 ? sink_of(args, task.at.head) : minus_infinity);
    walk.value_scale = value_scale_of(args, task.at);
    if (only_masks(args)) walk_group_plainly(block, args, task, walk, scale_of(args, task.at.head), has_queries(block, task));
    else walk_group_by_rules(block, args, task, walk);
    if (splits == 1) store_attention<traits>(block, walk, args, task.at);
    else store_split<traits>(block, walk, args, task.at, split);
}

}  // namespace fade::kernel
