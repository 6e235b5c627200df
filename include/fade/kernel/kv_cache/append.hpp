// New keys and values behind those of a cache, turned by their positions on the way, and queries turned
// likewise.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// Heads of tokens that a workgroup takes.
inline constexpr int append_rows = 32;

/// A tensor of new tokens and where it goes.
template <class In, class Cache>
struct appended_tensor {
    const In* from;
    Cache* to;
    attention_strides from_strides, to_strides;  ///< batch is 0 where sequences lie packed, and goes from
                                                 ///< page to page where there are pages
};

/// Without padding, so that captured arguments hold no bytes that nobody wrote.
template <class In, class Cache, class Table = float>
struct append_arguments {
    appended_tensor<In, Cache> k, v, q;
    const Table *cos, *sin;
    const int *cache_lengths, *new_lengths;  ///< null: all empty; all have new_positions
    const int* block_table;                  ///< null: the positions of a sequence follow each other
    index page_count;                        ///< or any_page
    int kv_heads, heads;                     ///< of k and v, and of q
    int new_positions, capacity, head_dim;
    int rotary_dim, rotary_stride, interleaved;
    int page_size, table_width;
};

/// The new tokens of one sequence: where they begin among those of all, how many they are, and the position
/// of the first.
struct new_tokens {
    int batch, begin, count, position;
};

template <class Args>
FADE_FN new_tokens tokens_of(const Args& a, int batch) {
    const int begin = a.new_lengths ? a.new_lengths[batch] : 0;
    const int count =
        a.new_lengths ? min_of(a.new_lengths[batch + 1] - begin, a.new_positions) : a.new_positions;
    return {batch, begin, count, a.cache_lengths ? a.cache_lengths[batch] : 0};
}

/// Where a position of a sequence's cache begins; null where there is none: on a page that does not exist.
template <class Args, class Tensor>
FADE_FN auto* place_in_cache(const Args& a, const Tensor& t, int batch, int position) {
    if (!a.block_table) return t.to + batch * t.to_strides.batch + position * t.to_strides.position;
    const int page = a.block_table[index(batch) * a.table_width + position / a.page_size];
    return is_page(page, int(a.page_count))
               ? t.to + page * t.to_strides.batch + position % a.page_size * t.to_strides.position
               : nullptr;
}

/// Elements x and y of a head, turned by an angle or copied; y may be beyond the head.
/// Rotation: Su et al., RoFormer, 2021.
template <class Args, class In, class Cache>
FADE_FN void append_pair(const Args& a, const In* from, Cache* to, int pair, bool rotates, index position) {
    const bool apart = rotates && !a.interleaved;
    const int x = apart ? pair : 2 * pair, y = apart ? pair + a.rotary_dim / 2 : 2 * pair + 1;
    if (!rotates) {
        to[x] = convert<Cache>(from[x]);
        if (y < a.head_dim) to[y] = convert<Cache>(from[y]);
        return;
    }
    const float c = convert<float>(a.cos[position * a.rotary_stride + pair]),
                s = convert<float>(a.sin[position * a.rotary_stride + pair]);
    const float u = convert<float>(from[x]), v = convert<float>(from[y]);
    to[x] = convert<Cache>(u * c - v * s), to[y] = convert<Cache>(v * c + u * s);
}

/// A pair of one head of a tensor. A token without a place is not written; that of a query follows those
/// before it.
template <bool Cached, class Args, class Tensor>
FADE_FN void append_element(const Args& a, const Tensor& tensor, const new_tokens& t, int token, int head,
                            int pair, bool rotates) {
    const index position = index(t.position) + token, at = index(t.begin) + token;
    if (position < 0 || position >= a.capacity) return;
    auto* to = tensor.to + t.batch * tensor.to_strides.batch + at * tensor.to_strides.position;
    if constexpr (Cached) to = place_in_cache(a, tensor, t.batch, int(position));
    if (!to) return;
    const auto* from = tensor.from + t.batch * tensor.from_strides.batch + at * tensor.from_strides.position;
    append_pair(a, from + head * tensor.from_strides.head, to + head * tensor.to_strides.head, pair,
                rotates && pair < a.rotary_dim / 2, position);
}

/// Heads of a token count those of k, then of v, then of q.
template <class Args>
FADE_FN void append_head(const Args& a, const new_tokens& t, int token, int head, int pair) {
    const int of_v = head - a.kv_heads, of_q = of_v - a.kv_heads;
    if (of_v < 0)
        append_element<true>(a, a.k, t, token, head, pair, true);
    else if (of_q < 0)
        append_element<true>(a, a.v, t, token, of_v, pair, false);
    else
        append_element<false>(a, a.q, t, token, of_q, pair, true);
}

/// One lane reads and writes both elements of a pair, so queries may turn where they lie.
template <class Block, class Args>
FADE_FN void append_body(Block& block, const Args& a) {
    const new_tokens t = tokens_of(a, block.id_z());
    const int heads = 2 * a.kv_heads + a.heads, pairs = (a.head_dim + 1) / 2;
    const index first = index(block.id_x()) * append_rows;
    const int rows = int(min_of<index>(append_rows, index(t.count) * heads - first)),
              token = int(first / heads), head = int(first % heads);
    block::each_of(block, block::item_range{0, rows * pairs}, [&](int e) {
        const int row = head + e / pairs;
        append_head(a, t, token + row / heads, row % heads, e % pairs);
    });
}

}  // namespace FADE_NAMESPACE::kernel
