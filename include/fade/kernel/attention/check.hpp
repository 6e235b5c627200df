// What an attention refuses before anything is written.
#pragma once
#include <fade/core/error.hpp>
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/problem.hpp>
#include <fade/kernel/attention/rows_apart.hpp>

namespace FADE_NAMESPACE::kernel {

/// Strides of a tensor, packed where nothing was given.
inline attention_strides checked_strides(const char* name, attention_strides s, index length, index heads,
                                         index head_dim) {
    if (s == attention_strides{}) return {length * heads * head_dim, heads * head_dim, head_dim};
    const index max = index(1) << 31;
    require(s.batch >= 0, name, s.batch, "its batch stride must be 0 or positive");
    require(s.position >= 0 && s.position < max, name, s.position,
            "its position stride must be between 0 and 2^31 - 1");
    require(s.head >= 0 && s.head < max, name, s.head, "its head stride must be between 0 and 2^31 - 1");
    return s;
}

/// Strides of the bias, packed where they are -1.
inline attention_bias_strides checked_bias_strides(const attention_problem& p) {
    attention_bias_strides s = p.bias_strides;
    require(s.batch >= -1 && s.head >= -1 && s.query >= -1, "bias_strides",
            min_of(s.batch, min_of(s.head, s.query)), "each must be 0 or positive, or -1 for a packed bias");
    require(s.query < index(1) << 31, "bias_strides", s.query,
            "queries must lie less than 2^31 elements apart");
    if (s.query < 0) s.query = p.seq_k;
    if (s.head < 0) s.head = p.seq_q * p.seq_k;
    if (s.batch < 0) s.batch = p.heads * p.seq_q * p.seq_k;
    return s;
}

inline void check_rules(const attention_problem& p) {
    require_real(p.scale == p.scale && p.scale - p.scale == 0, "scale", p.scale,
                 "it must be finite, or 0 for 1 / sqrt(head_dim)");
    require_real(p.softcap >= 0 && p.softcap - p.softcap == 0, "softcap", p.softcap,
                 "it must be positive and finite, or 0 for none");
    require_real(p.dropout >= 0 && p.dropout < 1, "dropout", p.dropout,
                 "a probability of dropping must be at least 0 and below 1");
    require(p.alibi_stride >= 0 && p.alibi_stride < index(1) << 20, "alibi_stride", p.alibi_stride,
            "slopes of one sequence lie 0 to 2^20 - 1 behind those of the one before");
    require(p.window_left >= -1, "window_left", p.window_left, "it must be a number of keys, or -1 for all");
    require(p.window_right >= -1, "window_right", p.window_right,
            "it must be a number of keys, or -1 for all");
}

inline void check_page_count(index count, index page_size) {
    require(count >= 0 && count < any_page, "page_count", count,
            "it must be a number of pages below 2^31 - 1, or 0 where the table names no others");
    require(page_size > 0 || count == 0, "page_count", count,
            "page_size is 0, so there are no pages to count");
}

/// The problem with its defaults made explicit.
inline attention_problem checked(attention_problem p) {
    constexpr index max_length = index(1) << 30;
    require(p.batch >= 0 && p.batch <= 65535, "batch", p.batch, "it must be between 0 and 65535");
    require(p.heads >= 0 && p.heads <= 65535, "heads", p.heads, "it must be between 0 and 65535");
    if (p.kv_heads == 0) p.kv_heads = p.heads;
    require(p.kv_heads > 0 || p.heads == 0, "kv_heads", p.kv_heads,
            "it must be positive, or 0 for as many as heads");
    require(p.heads == 0 || p.heads % p.kv_heads == 0, "kv_heads", p.kv_heads,
            "heads (" + std::to_string(p.heads) + ") must be a multiple of it");
    require(p.kv_heads >= 0 && p.kv_heads <= 65535, "kv_heads", p.kv_heads, "it must be between 0 and 65535");
    require(p.seq_q >= 0 && p.seq_q < max_length, "seq_q", p.seq_q, "it must be between 0 and 2^30 - 1");
    require(p.seq_k >= 0 && p.seq_k < max_length, "seq_k", p.seq_k, "it must be between 0 and 2^30 - 1");
    require(p.head_dim >= 1 && p.head_dim <= 512, "head_dim", p.head_dim, "it must be between 1 and 512");
    if (p.head_dim_v == 0) p.head_dim_v = p.head_dim;
    require(p.head_dim_v >= 1 && p.head_dim_v <= 512, "head_dim_v", p.head_dim_v,
            "it must be between 1 and 512, or 0 for that of q and k");
    require(p.page_size >= 0 && p.page_size < max_length, "page_size", p.page_size,
            "it must be a number of positions, or 0 for no pages");
    check_rules(p);
    const index pages = p.page_size ? ceil_div(p.seq_k, p.page_size) : 0;
    if (p.page_size && p.table_width == 0) p.table_width = pages;
    require(p.page_size == 0 || p.table_width >= pages, "table_width", p.table_width,
            "seq_k needs " + std::to_string(pages) + " pages a sequence");
    check_page_count(p.page_count, p.page_size);
    p.q_strides = checked_strides("q_strides", p.q_strides, p.seq_q, p.heads, p.head_dim);
    p.o_strides = checked_strides("o_strides", p.o_strides, p.seq_q, p.heads, p.head_dim_v);
    p.k_strides = checked_strides("k_strides", p.k_strides, p.page_size ? p.page_size : p.seq_k, p.kv_heads,
                                  p.head_dim);
    p.v_strides = checked_strides("v_strides", p.v_strides, p.page_size ? p.page_size : p.seq_k, p.kv_heads,
                                  p.head_dim_v);
    p.bias_strides = checked_bias_strides(p);
    return p;
}

/// Lengths say in one way how long sequences are, and packed ones have no batch stride: those of `p` are as
/// they were given.
template <class In, class Out>
void check_lengths(const attention_problem& p, const attention_operands<In, Out>& o) {
    if (o.lengths_q && o.counts_q) throw error("counts_q", "given", "lengths_q is, too: give one of them");
    if (o.lengths_k && o.counts_k) throw error("counts_k", "given", "lengths_k is, too: give one of them");
    const auto packed = [&](const char* name, const attention_strides& s, const char* by,
                            const char* instead) {
        require(p.batch <= 1 || s.batch == 0, name, s.batch,
                std::string("by ") + by + " sequences lie packed, without a batch stride: give 0, or " +
                    instead + " for sequences that lie that far apart");
    };
    if (o.lengths_q)
        packed("q_strides", p.q_strides, "lengths_q", "counts_q"),
            packed("o_strides", p.o_strides, "lengths_q", "counts_q");
    if (o.lengths_k && p.page_size == 0)
        packed("k_strides", p.k_strides, "lengths_k", "counts_k"),
            packed("v_strides", p.v_strides, "lengths_k", "counts_k");
}

/// GPUs find the rows of a tile by 32-bit offsets from its first one.
inline void check_reach(const char* name, const sequence_strides& s, index length, index tile, index bytes) {
    require(length <= 1 || tile * s.position * bytes < index(1) << 31, name, s.position,
            "the " + std::to_string(tile) +
                " positions that a tile touches must lie within 2 GiB on this device");
}

/// Bytes that a tensor touches, as far as the problem tells: packed sequences and pages may lie further.
template <class T>
byte_range tensor_range(const char* name, const T* p, const attention_strides& s, index batch, index length,
                        index heads, index head_dim) {
    if (batch == 0 || length == 0 || heads == 0) return bytes_from(p, 0);
    const wide_index elements = wide_index(batch - 1) * s.batch + wide_index(length - 1) * s.position +
                                wide_index(heads - 1) * s.head + head_dim;
    require(elements * int(sizeof(T)) < wide_index(1) << 62, name, length,
            std::string("tensor ") + name + " must span fewer than 2^62 bytes");
    return bytes_from(p, elements * int(sizeof(T)));
}

/// The logarithms [batch, heads, seq_q]: of packed queries those of one sequence, as far as the problem
/// tells.
template <class In, class Out>
byte_range lse_range(const attention_problem& p, const attention_operands<In, Out>& o) {
    return bytes_from(o.lse.get(), wide_index(p.batch) * p.heads * p.seq_q * int(sizeof(float)));
}

/// Pointers that exist where they are read or written, and an O and logarithms apart from the inputs.
template <class In, class Out>
void check_operands(const attention_problem& p, const attention_operands<In, Out>& o) {
    const index kv_batch = o.lengths_k || p.page_size ? 1 : p.batch, q_batch = o.lengths_q ? 1 : p.batch;
    const byte_range q = tensor_range("q", o.q.get(), p.q_strides, q_batch, p.seq_q, p.heads, p.head_dim),
                     out = tensor_range("o", o.o.get(), p.o_strides, q_batch, p.seq_q, p.heads, p.head_dim_v);
    const index kv_length = p.page_size ? min_of(p.page_size, p.seq_k) : p.seq_k;
    const byte_range k = tensor_range("k", o.k.get(), p.k_strides, kv_batch, kv_length, p.kv_heads,
                                      p.head_dim),
                     v = tensor_range("v", o.v.get(), p.v_strides, kv_batch, kv_length, p.kv_heads,
                                      p.head_dim_v);
    if (p.batch == 0 || p.heads == 0 || p.seq_q == 0) return;
    if (!o.o) throw error("o", "null", "the result needs memory");
    check_rows_apart("o_strides", p.o_strides, q_batch, p.seq_q, p.heads, p.head_dim_v);
    if (!o.q) throw error("q", "null", "it is read, even where there are no keys");
    if (!o.k && p.seq_k > 0) throw error("k", "null", "with seq_k above 0 it is read");
    if (!o.v && p.seq_k > 0) throw error("v", "null", "with seq_k above 0 it is read");
    if (p.page_size > 0 && p.seq_k > 0 && !o.block_table)
        throw error("block_table", "null", "with pages it is read");
    if (p.page_size == 0 && o.block_table)
        throw error("block_table", "given", "page_size is 0, so there are no pages for it to name");
    if (!o.alibi && p.alibi_stride > 0)
        throw error("alibi_stride", std::to_string(p.alibi_stride), "alibi is null, so there are no slopes");
    if (o.starts_k && p.dropout > 0)
        throw error("starts_k", "given", "dropout is, too: its random numbers come for four keys at a time");
    if (out.overlaps(q)) throw error("o", "overlapping q", "the result may not lie in an operand");
    if (out.overlaps(k)) throw error("o", "overlapping k", "the result may not lie in an operand");
    if (out.overlaps(v)) throw error("o", "overlapping v", "the result may not lie in an operand");
    const byte_range lse = lse_range(p, o);
    const char* const names[] = {"o", "q", "k", "v"};
    const byte_range* const tensors[] = {&out, &q, &k, &v};
    for (int i = 0; i < 4; ++i)
        if (lse.overlaps(*tensors[i]))
            throw error("lse", std::string("overlapping ") + names[i], "logarithms need memory of their own");
}

}  // namespace FADE_NAMESPACE::kernel
