// Attention of few queries over many keys, which may lie in pages: workgroups share the keys, and what they find is combined.
// After "Flash-Decoding for long-context inference" (Dao et al., 2023).
#pragma once
#include <fade/kernel/attention/body.hpp>
#include <fade/kernel/attention/splits.hpp>

namespace fade::kernel {

/// Where the positions of one head of a cache lie.
template <class T>
struct cached_rows {
    using element = T;
    const T* head;
    const int* pages;   ///< of the sequence
    int page_size;      ///< 0: positions follow each other
    index page_stride;
    int stride;
    /// A page and a position in it.
    struct entry {
        int page, position;
    };
    FADE_FN entry find(int position) const {
        if (page_size == 0) return {0, position};
        return {pages[position / page_size], position % page_size};
    }
    FADE_FN const T* at(const entry& e) const { return head + e.page * page_stride + index(e.position) * stride; }
    FADE_FN const T* operator()(int position) const { return at(find(position)); }
};

/// Its pointers wait in registers of the lanes: scalar ones are scarce in the loop.
template <class Block, class T, class Args>
FADE_FN cached_rows<T> rows_of_cache(const T* tensor, const sequence_strides& s, const Args& args, const query_tile& at) {
    const T* head = tensor + at.head / args.group * s.head;
    if (args.pages.table) return {kept<Block>(head), kept<Block>(args.pages.table + index(at.batch) * args.pages.width), args.pages.size, s.batch, s.position};
    return {kept<Block>(head + at.batch * s.batch + index(at.extent.key_begin) * s.position), nullptr, 0, 0, s.position};
}

/// The tiles of keys that one of `splits` workgroups takes: equal numbers, the last ones fewer or none. None counts as full: loads, not masks, are what takes time.
template <class Traits>
FADE_FN key_range part_of(key_range all, int split, int splits) {
    const int tiles = ceil_div(all.end - all.begin, Traits::keys), share = ceil_div(tiles, splits) * Traits::keys, end = all.end;
    const int first = least(all.begin + split * share, end);
    return {first, least(first + share, end), first};
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void decode_attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const int split = block.id_x() % args.splits.count;
    const query_tile at = place_of_tile<traits>(block.id_x() / args.splits.count, block, args);
    if (at.first_query >= at.extent.query_count || at.first_column >= args.output_dim) return;
    const key_range range = part_of<traits>(keys_of<traits>(args, at.extent, at.first_query), split, args.splits.count);
    query_operand<Block, traits> queries(block);
    queries.load(block, queries_of(args, at));
    const block::scattered_operand<cached_rows<in>, false> keys{rows_of_cache<Block>(args.k, args.k_strides, args, at), range.begin, at.extent.key_count, args.head_dim};
    const block::scattered_operand<cached_rows<in>, true> values{rows_of_cache<Block>(args.v + at.first_column, args.v_strides, args, at), range.begin, at.extent.key_count, args.value_dim - at.first_column};
    auto walk = walk_over<traits>(block, keys, values, split == 0 ? sink_of(args, at.head) : minus_infinity);
    walk_by_rules<traits>(block, args, at, range, walk, queries);
    if (args.splits.count == 1) store_attention<traits>(block, walk, args, at);
    else store_split<traits>(block, walk, args, at, split);
}

}  // namespace fade::kernel
