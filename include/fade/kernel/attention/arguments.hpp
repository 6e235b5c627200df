// What a launch of the attention kernel is given.
#pragma once
#include <cstdint>
#include <fade/block/source/paged.hpp>
#include <fade/core/number/score.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/tensor_map.hpp>
#include <fade/kernel/attention/score_mod.hpp>

namespace FADE_NAMESPACE::kernel {

using block::any_page, block::is_page, block::page_size;

/// The least factor that makes powers of two of differences of scores: times it, what is hidden is far enough
/// away.
inline constexpr float min_factor = 0x1p-100f;

/// A window without an end on that side.
inline constexpr int all_keys = 0x7fffffff;

/// Elements from one position, head and batch (or page) to the next; batch is 0 where sequences lie packed.
struct sequence_strides {
    index batch;
    int position, head;  // 64 bits for these would cost scalar registers that the loop needs
};

/// What the general kernel does to scores beside the window; zero and null: nothing.
struct score_rules {
    float softcap, inverse_softcap;
    const float *alibi, *sink;
    const float* bias;  ///< [query, key] of batch and head, by the strides below
    index bias_batch, bias_head;
    int bias_query;            ///< below 0: there is no bias
    std::uint32_t drop_below;  ///< random 32-bit numbers below it drop their probability
    float keep_scale;          ///< 1 / (1 - dropout)
    int alibi_stride;          ///< slopes from one sequence to the next
    std::uint64_t seed, offset;
};

/// What q, k and v are to be multiplied by: null, or a number for all heads (step 0) or each (step 1).
struct tensor_scales {
    const float *q, *k, *v;
    int step;
};
FADE_FN float scale_at(const float* scales, int at) { return scales ? scales[at] : 1.0f; }

/// Where keys and values lie in pages. Numbers that are of no page are followed nowhere.
struct page_table {
    const int* table;  ///< null: there are no pages
    page_size size;
    int width;
    int count;     ///< how many pages there are, or any_page
    int in_place;  ///< 0: copies are read, and the table only says which keys exist
    FADE_FN const int* of(int batch) const { return table + index(batch) * width; }
    FADE_FN block::sequence_pages of_sequence(int batch) const { return {of(batch), size, count}; }
    /// Where a position lies; below 0: nowhere.
    FADE_FN index row(int batch, int position, const sequence_strides& s) const {
        const block::page_entry e = of_sequence(batch).find(position);
        return is_page(e.page, count) ? e.page * s.batch + index(e.position) * s.position : -1;
    }
    /// Are keys whose page does not exist to be hidden?
    FADE_FN bool may_lack_keys() const { return table && count != any_page; }
};

/// Workgroups that share the keys of their queries: what each found is combined afterwards.
struct key_splits {
    int count;       ///< 1: nothing is shared
    float* outputs;  ///< [split, batch, heads, seq_q, output_dim]: averages over the keys of a split
    float *maxima,
        *sums;  ///< [split, batch, heads, seq_q]: the largest score, and the sum of probabilities beside it
};

template <class In, class Out, class Rule = no_rule>
struct attention_arguments {
    static constexpr bool one_length = false;  ///< have all sequences of q, and all of k and v, one length?
    const In *q, *k, *v;
    Out* o;
    float* lse;
    sequence_strides q_strides, k_strides, v_strides, o_strides;
    int seq_q, seq_k, heads, group;  ///< group: query heads that share a key head
    int head_dim, value_dim,
        output_dim;    ///< elements of a row of q and k, and of v, to read, whole 16-byte runs; columns of o
    int tile_queries;  ///< how many queries a workgroup takes
    int tile_heads;    ///< of decoding: heads of a group whose queries are rows of one tile; 1: each head has
                       ///< tiles of its own
    int last;          ///< query i stands at key i + last; of no meaning with bottom_right
    bool bottom_right;                 ///< the last query stands at the last key
    int left, right;                   ///< keys seen before and after that position; all_keys: all
    float scale, scale_log2;           ///< the second times log2(e): exponentials are powers of two
    const int *lengths_q, *lengths_k;  ///< null: all sequences are seq_q and seq_k long
    int packed_q, packed_k;  ///< not 0: sequences of q, or of k and v, begin where the lengths say; whole
                             ///< words, so that captured arguments hold no bytes that nobody wrote
    int step_q, step_k;      ///< 1: lengths are cumulative; 0: each stands by itself
    page_table pages;
    score_rules rules;
    key_splits splits;  ///< only of decoding
    tensor_scales scales;
    const int* starts_k;  ///< the first key of each sequence; null: 0
    Rule rule;
};

/// With maps of queries, keys and values: boxes have the columns of tile_source, and a tile's queries or
/// keys.
template <class In, class Out>
struct tma_arguments : attention_arguments<In, Out> {
    static constexpr bool one_length = true;
    tensor_map q_map, k_map, v_map;
};

/// What they map. Hardware reads the maps; emulation these.
template <class Args>
FADE_FN tile_source queries_to_map(const Args& args, int batches, int box) {
    return {args.q,  args.head_dim,           args.seq_q,          args.heads,
            batches, args.q_strides.position, args.q_strides.head, args.q_strides.batch,
            box};
}
template <class Args>
FADE_FN tile_source keys_to_map(const Args& args, int batches, int box) {
    return {args.k,  args.head_dim,           args.seq_k,          args.heads / args.group,
            batches, args.k_strides.position, args.k_strides.head, args.k_strides.batch,
            box};
}
template <class Args>
FADE_FN tile_source values_to_map(const Args& args, int batches, int box) {
    return {args.v,  args.value_dim,          args.seq_k,          args.heads / args.group,
            batches, args.v_strides.position, args.v_strides.head, args.v_strides.batch,
            box};
}

/// One sequence of a batch: where it begins and how long it is.
struct sequence_extent {
    int query_begin, output_begin, query_count, key_begin, key_count, last;
};

/// The queries of one head that a workgroup takes.
struct query_tile {
    int first_query, head, batch;
    int first_column;  // of O and V, where several workgroups share them
    sequence_extent extent;
};

/// Where sequence `batch` begins, by cumulative lengths (step 1); 0 by lengths of each (step 0).
FADE_FN int begin_of(const int* lengths, int step, int batch) { return step * lengths[batch]; }

/// Its positions, of which there are `longest` at most: whatever lies on the device, no kernel goes beyond
/// what the problem names.
FADE_FN int length_of(const int* lengths, int step, int batch, int longest) {
    const index length = index(lengths[batch + step]) - begin_of(lengths, step, batch);
    return int(max_of<index>(min_of<index>(length, longest), 0));
}

template <class Args>
FADE_FN sequence_extent extent_of(const Args& args, int batch) {
    sequence_extent e{0, 0, args.seq_q, 0, args.seq_k, args.last};
    if constexpr (!Args::one_length) {
        if (args.lengths_q)
            e.output_begin = begin_of(args.lengths_q, args.step_q, batch),
            e.query_count = length_of(args.lengths_q, args.step_q, batch, args.seq_q);
        if (args.lengths_k)
            e.key_begin = begin_of(args.lengths_k, args.step_k, batch),
            e.key_count = length_of(args.lengths_k, args.step_k, batch, args.seq_k);
        e.query_begin = args.packed_q ? e.output_begin : 0;
        if (!args.packed_k) e.key_begin = 0;
    }
    if (args.bottom_right) e.last = e.key_count - e.query_count;
    return e;
}

/// What the factors of q and k make of `scale` for a head.
template <class Args>
FADE_FN float scale_of(const Args& args, int head, float scale) {
    return scale * scale_at(args.scales.q, head * args.scales.step) *
           scale_at(args.scales.k, head / args.group * args.scales.step);
}

}  // namespace FADE_NAMESPACE::kernel
