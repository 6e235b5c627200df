// Attention where four waves share a matrix unit: the three bodies.
#pragma once
#include <fade/kernel/attention/decode/body.hpp>
#include <fade/kernel/attention/warpgroup/walk.hpp>

namespace FADE_NAMESPACE::kernel {

/// A tile of queries: which rows it has, and the keys that they see.
template <class Rows>
struct warpgroup_task {
    query_tile at;
    key_range range;
    Rows rows;
    int split = 0;  ///< which part of the keys

    FADE_FN int row_count() const { return rows.count(at.extent.query_count); }
};
/// It, or none where its sequence has fewer queries.
template <class Rows>
FADE_FN block::one_work<warpgroup_task<Rows>> one_task(const warpgroup_task<Rows>& task) {
    return {task, task.at.first_query < task.row_count()};
}

/// The queries of one head.
template <class Traits, class Block, class Args>
FADE_FN auto tasks_of_heads(Block& block, const Args& args) {
    const query_tile at = place_of_tile<Traits>(block::line_schedule(block).work, args);
    return one_task<head_rows>({at, keys_of<Traits>(args, at.extent, at.first_query), rows_of<Traits>(at)});
}

/// The queries of the heads that share a tile, and the keys that are this workgroup's part. Some of them
/// count as full: masks take time where a matrix unit multiplies.
template <class Traits, class Block, class Args>
FADE_FN auto tasks_of_groups(Block& block, const Args& args) {
    const split_tile at = place_of_split<Traits>(block, args);
    const key_range all = keys_of_rows<Traits>(args, at);
    key_range range = keys_of_split<Traits>(all, at.split, args.splits.count);
    range.full_end = max_of(range.begin, min_of(range.end, all.full_end));
    using rows = gqa_rows<Block, Traits>;
    return one_task<rows>({at, range, rows(block, at.first_query, args.tile_heads, at.head), at.split});
}

template <class T>
FADE_FN block::strided_rows<T> strided_rows_of(const block::bounded_operand<T>& o) {
    return {o.tile, int(o.row_stride)};
}

/// What is read of Q, and of a tensor of keys or values.
template <class Args>
FADE_FN auto queries_in(const Args& args, const warpgroup_task<head_rows>& task) {
    const auto rows = strided_rows_of(queries_of(args, task.at));
    return block::row_range{rows, 0, task.at.extent.query_count - task.at.first_query, args.head_dim};
}
template <class Args, class Rows>
FADE_FN auto queries_in(const Args& args, const warpgroup_task<Rows>& task) {
    return block::row_range{gqa_queries_of(args, task.at), task.at.first_query, task.row_count(),
                            args.head_dim};
}
template <class Rows>
FADE_FN block::row_range<Rows> keys_in(const key_range& range, const Rows& rows, int columns) {
    return {rows, range.begin, range.end, columns};
}

template <attention_policy Policy, class Block, class Args>
using warpgroup_traits_of =
    warpgroup_traits<typename Block::arch, std::remove_cvref_t<decltype(*Args::q)>, Policy>;

/// Walks over all tiles: maxima stay inside, where all queries see all keys; `edge(key)` gives what makes
/// probabilities of the scores of the tile that begins there.
template <class Block, class Task, class Walk, class Inside, class Edge>
FADE_FN void walk_by_warpgroup(Block& block, const Task& task, Walk& walk, Inside inside, Edge edge) {
    constexpr int keys = Walk::keys_a_step;
    const int tiles = ceil_div(task.range.end - task.range.begin, keys),
              full = (task.range.full_end - task.range.begin) / keys;
    if (tiles == 0) return block.await_inputs();  // what is stored then must not come early either
    int n = 1;
    walk.begin(block, edge(task.range.begin));
    if (full > 1) {
        walk.stay(block);
        for (; n < full; ++n) walk.template step<true>(block, n, inside);
        walk.keep_bounds(block);
    }
    for (; n < tiles; ++n) walk.template step<false>(block, n, edge(task.range.begin + n * keys));
    walk.end(block, tiles - 1);
}

/// Full, causal and padded attention: only the last tiles can be partly visible. Waves without a query (not
/// `busy`) multiply, but soften nothing. `fresh()` is a walk that has not begun.
template <class Block, class Args, class Task, class Walk, class Fresh>
FADE_FN void walk_plainly_by_warpgroup(Block& block, const Args& args, Task task, Walk& walk, bool busy,
                                       Fresh fresh) {
    const auto edge = [&](int key) {
        return [&, key](auto& of, auto& scores) {
            if (!busy) return;
            if (key + Walk::keys_a_step > task.range.full_end)
                mask_scores(block, scores, args, task.at.extent, key, task.rows);
            of.soften(block);
        };
    };
    const auto inside = [&](auto& of, auto&) {
        if (busy) of.soften_where_it_is(block);
    };
    walk_by_warpgroup(block, task, walk, inside, edge);
    if (task.range.full_end - task.range.begin < 2 * Walk::keys_a_step || !walk.must_restart(block, busy))
        return;
    block.template wait_async<0>();  // no copy is under way
    walk = fresh();
    task.range.full_end = task.range.begin;
    walk_by_warpgroup(block, task, walk, inside, edge);
}

/// Every rule on every tile. `sinks`: logits of heads count.
template <class Block, class Args, class Rows, class Walk>
FADE_FN void walk_rules_by_warpgroup(Block& block, const Args& args, warpgroup_task<Rows> task, Walk& walk,
                                     bool sinks) {
    const head_rules<Block, Args, Rows> head(args, task.at);
    const key_range range = task.range;
    task.range.full_end = range.begin;
    walk.scale_log2 = head.factor();
    if (sinks) count_sinks(block, walk.states, args, task.rows, walk.scale_log2);
    walk_by_warpgroup(
        block, task, walk, [](auto&, auto&) {},
        [&](int key) {
            return [&, key](auto& of, auto& scores) {
                rule_scores<Walk::keys_a_step>(block, scores, args, task.at, task.rows, range, head, key);
                of.soften(block);
                rule_probabilities(block, scores, args, task.at, task.rows, head, key);
            };
        });
}

template <class Traits, class Block, class Producer>
FADE_FN auto warpgroup_walk_with(Block& block, const Producer& producer, float scale_log2) {
    warpgroup_walk<Block, Traits, Producer> walk(block, producer);
    walk.scale_log2 = scale_log2;
    return walk;
}

/// What is found of the task's head is found anew at every call: addresses would wait in registers for a walk
/// that rarely begins again.
template <class Traits, class Block, class Args>
FADE_FN auto lane_producer_of(Block& block, const Args& args, warpgroup_task<head_rows> task) {
    task.at.head = Block::fresh(task.at.head), task.at.batch = Block::fresh(task.at.batch);
    task.at.first_query = Block::fresh(task.at.first_query),
    task.range.begin = Block::fresh(task.range.begin);
    const auto k = strided_rows_of(keys_of_head(args, task.at, 0)),
               v = strided_rows_of(values_of_head(args, task.at, 0));
    return producer_by_lanes<Traits>(block, queries_in(args, task), keys_in(task.range, k, args.head_dim),
                                     keys_in(task.range, v, args.value_dim));
}

/// Lengths, scales and logits are read before the walk begins, and so before what else needs only arguments.
template <class Block, class Args>
FADE_FN void await_tables(Block& block, const Args& args) {
    if (args.lengths_q || args.lengths_k || args.scales.q || args.scales.k || args.scales.v ||
        args.rules.sink || args.starts_k || args.pages.may_lack_keys())
        block.await_inputs();
}

/// Walks over the keys of a task that has queries in every wave, and stores. `begin()` is a walk that has not
/// begun.
template <class Traits, class Block, class Args, class Task, class Begin>
FADE_FN void walk_over_all(Block& block, const Args& args, const Task& task, Begin begin) {
    auto walk = begin();
    walk_plainly_by_warpgroup(block, args, task, walk, true, begin);
    store_attention<Traits>(block, walk, args, task.at);
}

/// The queries of one head over all keys that they see.
template <class Traits, class Block, class Args>
FADE_FN void attend_task(Block& block, const Args& args, const warpgroup_task<head_rows>& task) {
    if constexpr (Traits::tma) {
        const int tiles = ceil_div(task.range.end - task.range.begin, Traits::keys);
        int produced = 0;
        walk_over_all<Traits>(block, args, task, [&] {
            const box_producer<Block, Traits, Args> producer(args, task.at, task.range.begin, tiles,
                                                             produced);
            produced += tiles + 1;
            return warpgroup_walk_with<Traits>(block, producer, args.scale_log2);
        });
    } else
        walk_over_all<Traits>(block, args, task, [&] {
            return warpgroup_walk_with<Traits>(block, lane_producer_of<Traits>(block, args, task),
                                               args.scale_log2);
        });
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void warpgroup_attention_body(Block& block, const Args& args) {
    using traits = warpgroup_traits_of<Policy, Block, Args>;
    if constexpr (traits::tma)
        block.prefetch_maps(args.q_map, args.k_map, args.v_map);  // arguments, with no tables beside them
    else
        await_tables(block, args);
    tasks_of_heads<traits>(block, args).each([&](const auto& task) FADE_LAMBDA {
        attend_task<traits>(block, args, task);
    });
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void general_warpgroup_attention_body(Block& block, const Args& args) {
    using traits = warpgroup_traits_of<Policy, Block, Args>;
    block.await_inputs();
    tasks_of_heads<traits>(block, args).each([&](auto task) FADE_LAMBDA {
        begin_at_first_key(task.range, args, task.at.batch);
        task.range.lacks_keys = lacks_keys(block, args, task.at.batch, task.range.begin, task.range.end);
        auto walk =
            warpgroup_walk_with<traits>(block, lane_producer_of<traits>(block, args, task), args.scale_log2);
        walk.value_scale = value_scale_of(args, task.at);
        walk_rules_by_warpgroup(block, args, task, walk, args.rules.sink != nullptr);
        store_attention<traits>(block, walk, args, task.at);
    });
}

/// Few queries over many keys, which workgroups share and which may lie in pages. Without rules only the ends
/// of what is visible are masked.
template <class Traits, class Block, class Args, class Task>
FADE_FN void decode_task(Block& block, const Args& args, Task task) {
    task.range.lacks_keys = lacks_keys(block, args, task.at.batch, task.range.begin, task.range.end);
    const float scale = scale_of(args, task.at.head, args.scale_log2);
    const bool masks = only_masks(args) && scale >= min_factor && !task.range.lacks_keys,
               sinks = args.rules.sink && task.split == 0;
    const block::sequence_pages pages = pages_of_sequence<Block>(args, task.at);
    const auto begin = [&] {
        const auto producer = producer_by_lanes<Traits>(
            block, queries_in(args, task),
            keys_in(task.range, rows_of_cache<Block>(args.k, args.k_strides, args, task.at, pages),
                    args.head_dim),
            keys_in(task.range, rows_of_cache<Block>(args.v, args.v_strides, args, task.at, pages),
                    args.value_dim));
        auto walk = warpgroup_walk_with<Traits>(block, producer, scale);
        if (masks && sinks) count_sinks(block, walk.states, args, task.rows, scale);
        walk.value_scale = value_scale_of(args, task.at);
        return walk;
    };
    auto walk = begin();
    if (masks)
        walk_plainly_by_warpgroup(
            block, args, task, walk,
            block::wave_has_rows(block, task.rows, task.at.first_query, task.row_count()), begin);
    else
        walk_rules_by_warpgroup(block, args, task, walk, sinks);
    if (args.splits.count == 1)
        store_gqa<Traits>(block, walk, args, task.at, task.rows);
    else
        store_split<Traits>(block, walk, args, task.at, task.rows, task.split);
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void decode_warpgroup_attention_body(Block& block, const Args& args) {
    using traits = warpgroup_traits_of<Policy, Block, Args>;
    if (only_masks(args))
        await_tables(block, args);
    else
        block.await_inputs();
    tasks_of_groups<traits>(block, args).each([&](const auto& task) FADE_LAMBDA {
        decode_task<traits>(block, args, task);
    });
}

}  // namespace FADE_NAMESPACE::kernel
