// Attention of few queries over many keys, which may lie in pages: workgroups share the keys, and what they
// find is combined. After "Flash-Decoding for long-context inference" (Dao et al., 2023).
#pragma once
#include <fade/block/schedule/split.hpp>
#include <fade/block/source/gathered.hpp>
#include <fade/block/source/gqa.hpp>
#include <fade/kernel/attention/decode/splits.hpp>
#include <fade/kernel/attention/decode/wide.hpp>

namespace FADE_NAMESPACE::kernel {

/// What is read in the loop waits in registers of the lanes: scalar ones are scarce there.
template <class Block, class Args>
FADE_FN block::sequence_pages pages_of_sequence(const Args& args, const query_tile& at) {
    block::sequence_pages pages{};
    if (!args.pages.in_place) return pages;
    pages = {kept<Block>(args.pages.of(at.batch)), args.pages.size, kept<Block>(args.pages.count)};
    pages.size.factor = std::uint32_t(kept<Block>(int(pages.size.factor)));
    pages.size.shift = std::uint32_t(kept<Block>(int(pages.size.shift)));
    return pages;
}
template <class Block, class T, class Args>
FADE_FN block::paged_rows<T> rows_of_cache(const T* tensor, const sequence_strides& s, const Args& args,
                                           const query_tile& at, const block::sequence_pages& pages) {
    const T* head = tensor + at.head / args.group * s.head;
    if (pages.table) return {kept<Block>(head), pages, s.batch, kept<Block>(s.position)};
    return {kept<Block>(head + at.batch * s.batch + index(at.extent.key_begin) * s.position), pages, 0,
            kept<Block>(s.position)};
}

/// The tiles of keys that one of `splits` workgroups takes. None counts as full: loads, not masks, are what
/// takes time.
template <class Traits>
FADE_FN key_range keys_of_split(const key_range& all, int split, int splits) {
    const auto part =
        block::part_of(all.begin, all.end, block::share_of(all.end - all.begin, splits, Traits::keys), split);
    return {part.begin, part.end, part.begin};
}

template <class Args>
FADE_FN auto gqa_queries_of(const Args& args, const query_tile& at) {
    return block::gqa_queries<std::remove_cvref_t<decltype(*args.q)>>{
        query_begin(args, at), args.q_strides.position, args.q_strides.head, args.tile_heads};
}

/// The keys that any query of the tile's rows sees.
template <class Traits, class Args>
FADE_FN key_range keys_of_rows(const Args& args, const query_tile& at) {
    const int first = at.first_query / args.tile_heads,
              last = (at.first_query + Traits::queries - 1) / args.tile_heads;
    key_range range = keys_of<Traits>(args, at.extent, first, last - first + 1);
    begin_at_first_key(range, args, at.batch);
    return range;
}

/// The queries of the heads that share a tile, and which part of their keys.
struct split_tile : query_tile {
    int split;
};
template <class Traits, class Block, class Args>
FADE_FN split_tile place_of_split(const Block& block, const Args& args) {
    const block::split_line_work& work = block::split_line_schedule(block, args.splits.count).work;
    return {place_of_tile<Traits>(work, args, args.tile_heads), work.part};
}
/// None where their sequence has fewer. Reads tables of lengths.
template <class Traits, class Block, class Args>
FADE_FN block::one_work<split_tile> tiles_of_groups(const Block& block, const Args& args) {
    const split_tile at = place_of_split<Traits>(block, args);
    return {at,
            at.first_query < at.extent.query_count * args.tile_heads && at.first_column < args.output_dim};
}

/// Walks over the keys by the rules, and leaves what it finds.
template <class Traits, class Block, class Args, class Walk, class Queries>
FADE_FN void decode_by(Block& block, const Args& args, const split_tile& at,
                       const gqa_rows<Block, Traits>& rows, const key_range& range, Walk& walk,
                       Queries& queries) {
    walk_by_rules(block, args, at, rows, range, walk, queries, args.rules.sink && at.split == 0);
    const Args& reloaded = block.reload_arguments(args);
    if (reloaded.splits.count == 1)
        store_gqa<Traits>(block, walk, reloaded, at, rows);
    else
        store_split<Traits>(block, walk, reloaded, at, rows, at.split);
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void decode_tile(Block& block, const Args& args, const split_tile& at) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const int row_count = at.extent.query_count * args.tile_heads;
    key_range range = keys_of_split<traits>(keys_of_rows<traits>(args, at), at.split, args.splits.count);
    range.lacks_keys = lacks_keys(block, args, at.batch, range.begin, range.end);
    const block::gathered_source<block::gqa_queries<in>, false> rows{
        {gqa_queries_of(args, at), at.first_query, row_count, args.head_dim}};
    const block::sequence_pages pages = pages_of_sequence<Block>(args, at);
    const block::gathered_source<block::paged_rows<in>, false> keys{
        {rows_of_cache<Block>(args.k, args.k_strides, args, at, pages), range.begin, at.extent.key_count,
         args.head_dim}};
    const block::gathered_source<block::paged_rows<in>, true> values{
        {rows_of_cache<Block>(args.v + at.first_column, args.v_strides, args, at, pages), range.begin,
         at.extent.key_count, args.value_dim - at.first_column}};
    block::resident_operand<Block, traits> queries(block);
    if constexpr (Policy.span > 0) {
        split_tile kept_at = at;
        kept_at.extent.last = kept<Block>(at.extent.last),
        kept_at.extent.key_count = kept<Block>(at.extent.key_count),
        kept_at.extent.query_count = kept<Block>(at.extent.query_count);
        auto walk = wide_walk_over<traits>(block, rows, keys, values, args.head_dim);
        decode_by<traits>(block, args, kept_at,
                          gqa_rows<Block, traits>(block, kept<Block>(at.first_query),
                                                  kept<Block>(args.tile_heads), kept<Block>(at.head)),
                          range, walk, queries);
    } else {
        queries.load(block, rows);
        auto walk = walk_over<traits>(block, keys, values);
        decode_by<traits>(block, args, at,
                          gqa_rows<Block, traits>(block, at.first_query, args.tile_heads, at.head), range,
                          walk, queries);
    }
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void decode_attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    tiles_of_groups<traits>(block, args).each([&](const split_tile& at) FADE_LAMBDA {
        decode_tile<Policy>(block, args, at);
    });
}

}  // namespace FADE_NAMESPACE::kernel
