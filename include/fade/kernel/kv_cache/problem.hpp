// What an append to a cache of keys and values is asked to do.
#pragma once
#include <fade/kernel/attention/problem.hpp>

namespace FADE_NAMESPACE {

/// Which elements of a head turn together: 2 i and 2 i + 1, or i and i + rotary_dim / 2.
enum class rotary_style { half, interleaved };

/// "half" or "interleaved".
constexpr const char* name(rotary_style s) {
    constexpr const char* names[] = {"half", "interleaved"};
    return names[int(s)];
}

/// New token i of a sequence gets position length + i, length being what its cache holds before the call.
/// new_k and new_v are [batch, new_positions, kv_heads, head_dim], q and q_out [batch, new_positions, heads,
/// head_dim], k and v [batch, capacity, kv_heads, head_dim]. With cumulative lengths (see append_operands)
/// new tokens lie packed, and new_positions is the most that a sequence has.
struct append_problem {
    index batch = 1;          ///< sequences
    index heads = 0;          ///< of q; 0: there is no q
    index kv_heads = 1;       ///< of k and v
    index new_positions = 0;  ///< new tokens a sequence
    index capacity = 0;  ///< positions that the cache of a sequence has, and rows of cos and sin; with pages
                         ///< 0: what the block table names
    index head_dim = 0;  ///< elements of a head
    index rotary_dim = 0;  ///< first elements of a head that turn, an even number; the rest is copied
    rotary_style style = rotary_style::half;  ///< which elements turn together
    index rotary_stride = 0;  ///< elements from one row of cos and sin to the next; 0: rotary_dim / 2
    index page_size =
        0;  ///< above 0: k and v are [page, page_size, kv_heads, head_dim], found by a block table
    index table_width = 0;  ///< entries a sequence of the block table; 0: as many as capacity needs
    index page_count = 0;  ///< pages of k and v: nothing is written to others; 0: the table names none behind
    attention_strides new_k_strides{};  ///< all zero: packed
    attention_strides new_v_strides{};  ///< likewise
    attention_strides k_strides{};      ///< likewise
    attention_strides v_strides{};      ///< likewise
    attention_strides q_strides{};      ///< likewise
    attention_strides q_out_strides{};  ///< likewise
};

/// Memory that the device can read and write. Null pointers: not wanted. Table: type of cos and sin.
template <class In, class Cache = In, class Table = float>
struct append_operands {
    element_pointer<const In> new_k{};  ///< keys of new tokens
    element_pointer<const In> new_v{};  ///< values of new tokens
    element_pointer<Cache> k{};         ///< the cache's keys
    element_pointer<Cache> v{};         ///< the cache's values
    element_pointer<const In> q{};      ///< queries of new tokens, which turn too
    element_pointer<Cache> q_out{};     ///< may be q itself, with its type and strides
    element_pointer<const Table>
        cos{};  ///< [capacity, rotary_dim / 2]: of the angle of each position and pair
    element_pointer<const Table> sin{};  ///< likewise
    element_pointer<const int>
        cache_lengths{};  ///< [batch]: what each sequence's cache holds before the call; null: nothing
    element_pointer<const int> new_lengths{};  ///< [batch + 1]: where sequences begin in new_k, new_v, q and
                                               ///< q_out; null: all have new_positions
    element_pointer<const int>
        block_table{};  ///< [batch, table_width]: which page holds each page_size positions of a sequence
};

}  // namespace FADE_NAMESPACE
