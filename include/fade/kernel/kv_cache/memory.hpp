// What an append refuses of its memory, before anything is written.
#pragma once
#include <fade/kernel/attention/rows_apart.hpp>
#include <fade/kernel/kv_cache/check.hpp>
#include <fade/kernel/kv_cache/overlap.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class T>
placed_tensor placed(const char* name, const T* at, const attention_strides& s, index batch, index length,
                     index heads, index row) {
    constexpr index bytes = sizeof(T);
    const auto axis = [](index stride, index count) {
        return placed_tensor::axis{count > 1 ? stride * bytes : 0, count};
    };
    const byte_range range = tensor_range(name, at, s, at ? batch : 0, length, heads, row);
    return {name, range, row * bytes, {axis(s.batch, batch), axis(s.position, length), axis(s.head, heads)}};
}

/// The tensors of an append as far as the problem tells: one page, one of the tokens whose number lengths
/// tell.
template <class In, class Cache, class Table>
struct append_extents {
    placed_tensor written[3], read[8];

    append_extents(const append_problem& p, const append_operands<In, Cache, Table>& o)
        : written{cached("k", o.k, p.k_strides, p), cached("v", o.v, p.v_strides, p),
                  tokens("q_out", o.q_out.get(), p.q_out_strides, p.heads, p, o)},
          read{tokens("new_k", o.new_k.get(), p.new_k_strides, p.kv_heads, p, o),
               tokens("new_v", o.new_v.get(), p.new_v_strides, p.kv_heads, p, o),
               tokens("q", o.q.get(), p.q_strides, p.heads, p, o),
               angles("cos", o.cos, p),
               angles("sin", o.sin, p),
               numbers("cache_lengths", o.cache_lengths, p.batch),
               numbers("new_lengths", o.new_lengths, p.batch + 1),
               numbers("block_table", o.block_table, p.batch * p.table_width)} {}

private:
    static placed_tensor cached(const char* name, const Cache* at, const attention_strides& s,
                                const append_problem& p) {
        return placed(name, at, s, p.page_size ? 1 : p.batch,
                      p.page_size ? min_of(p.page_size, p.capacity) : p.capacity, p.kv_heads, p.head_dim);
    }
    template <class T>
    static placed_tensor tokens(const char* name, const T* at, const attention_strides& s, index heads,
                                const append_problem& p, const append_operands<In, Cache, Table>& o) {
        return placed(name, at, s, o.new_lengths ? 1 : p.batch, o.new_lengths ? 1 : p.new_positions, heads,
                      p.head_dim);
    }
    static placed_tensor angles(const char* name, const Table* at, const append_problem& p) {
        return placed(name, at, {0, p.rotary_stride, 0}, 1, p.capacity, 1, p.rotary_dim / 2);
    }
    static placed_tensor numbers(const char* name, const int* at, index count) {
        return placed(name, at, {}, 1, 1, 1, count);
    }
};

/// Queries that turn where they lie.
template <class In, class Cache, class Table>
bool in_place(const append_problem& p, const append_operands<In, Cache, Table>& o) {
    return std::is_same_v<In, Cache> && static_cast<const void*>(o.q) == o.q_out &&
           p.q_strides == p.q_out_strides;
}

/// What is written lies in nothing else.
template <class In, class Cache, class Table>
void check_overlaps(const append_problem& p, const append_operands<In, Cache, Table>& o) {
    const append_extents<In, Cache, Table> x(p, o);
    const auto require_apart = [](const placed_tensor& a, const placed_tensor& b) {
        if (!apart(a, b))
            throw error(
                a.name, std::string("overlapping ") + b.name,
                "what is written may lie in no other tensor (q_out may be q, with its type and strides)");
    };
    for (const placed_tensor& out : x.written) {
        for (const placed_tensor& other : x.written)
            if (&other > &out) require_apart(out, other);
        for (const placed_tensor& in : x.read)
            if (!(&out == &x.written[2] && &in == &x.read[2] && in_place(p, o))) require_apart(out, in);
    }
}

inline void check_rows(const append_problem& p, bool packed) {
    const index many = p.page_size ? min_of<index>(p.batch * p.table_width, 2) : p.batch,
                positions = p.page_size ? min_of(p.page_size, p.capacity) : p.capacity;
    check_rows_apart("k_strides", p.k_strides, many, positions, p.kv_heads, p.head_dim);
    check_rows_apart("v_strides", p.v_strides, many, positions, p.kv_heads, p.head_dim);
    if (p.heads > 0)
        check_rows_apart("q_out_strides", p.q_out_strides, packed ? 1 : p.batch, p.new_positions, p.heads,
                         p.head_dim);
}

/// Refuses a pointer that is missing where `needed` holds, and one that is given where it does not.
inline void check_pointer(const char* name, const void* p, bool needed, const char* missing,
                          const char* idle) {
    if (needed && !p) throw error(name, "null", missing);
    if (!needed && p) throw error(name, "given", idle);
}

template <class In, class Cache, class Table>
void check_operands(const append_problem& p, const append_operands<In, Cache, Table>& o) {
    if (p.batch == 0 || p.new_positions == 0) return;
    check_pointer("k", o.k, true, "new keys are written to it", "");
    check_pointer("v", o.v, true, "new values are written to it", "");
    check_pointer("new_k", o.new_k, true, "it is read", "");
    check_pointer("new_v", o.new_v, true, "it is read", "");
    check_pointer("q", o.q, p.heads > 0, "with heads above 0 it is read",
                  "heads is 0, so there are no queries");
    check_pointer("q_out", o.q_out, p.heads > 0, "with heads above 0 queries are written to it",
                  "heads is 0, so there are no queries");
    check_pointer("cos", o.cos, p.rotary_dim > 0, "with rotary_dim above 0 it is read",
                  "rotary_dim is 0, so nothing turns");
    check_pointer("sin", o.sin, p.rotary_dim > 0, "with rotary_dim above 0 it is read",
                  "rotary_dim is 0, so nothing turns");
    check_pointer("block_table", o.block_table, p.page_size > 0, "with pages it is read",
                  "page_size is 0, so there are no pages for it to name");
    check_rows(p, o.new_lengths), check_overlaps(p, o);
}

}  // namespace FADE_NAMESPACE::kernel
