// Which attention kernel a problem gets, and why.
#pragma once
#include <cstdint>
#include <string>
#include <fade/kernel/attention/problem.hpp>
#include <fade/tune/attention/entry.hpp>

namespace fade::tune {

/// May the kernels read this tensor in aligned runs of 16 bytes?
inline bool reads_runs(const void* p, const attention_strides& s, index head_dim, int bytes) {
    const auto whole = [&](index elements) { return elements * bytes % 16 == 0; };
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && whole(s.batch) && whole(s.position) && whole(s.head) && whole(head_dim);
}

/// What the plain kernel knows: no limit on the left, nothing done to scores but a positive scale.
template <class In, class Out>
bool is_plain(const attention_problem& p, const attention_operands<In, Out>& o) {
    return p.window_left < 0 && p.scale >= 0 && p.softcap == 0 && p.dropout == 0 && !o.alibi && !o.sink;
}

/// The tensors that are copied before the kernel runs.
struct gathered_tensors {
    bool q = false, kv = false;
    constexpr bool any() const { return q || kv; }
    std::string names() const { return q && kv ? "q, k and v" : q ? "q" : "k and v"; }
};

struct attention_choice {
    attention_variant variant;
    int head_class;
    gathered_tensors gathered{};
    std::string why{};
};

template <class In, class Out>
attention_choice select_attention(const attention_problem& p, const attention_operands<In, Out>& o) {
    attention_choice c{.variant = is_plain(p, o) ? attention_variant::plain : attention_variant::general, .head_class = head_class_of(int(p.head_dim))};
    c.gathered = {.q = !reads_runs(o.q, p.q_strides, p.head_dim, sizeof(In)),
                  .kv = p.page_size > 0 || !reads_runs(o.k, p.k_strides, p.head_dim, sizeof(In)) || !reads_runs(o.v, p.v_strides, p.head_dim, sizeof(In))};
    if (p.seq_k == 0) c.gathered = {};
    c.why = c.variant == attention_variant::plain ? "no rule beside an end of the visible keys" : "a window on the left, a negative scale, softcap, ALiBi, sink or dropout needs the general kernel";
    c.why += "; head_dim " + std::to_string(p.head_dim) + " runs in tiles of " + std::to_string(c.head_class);
    if (c.gathered.any()) c.why += "; " + c.gathered.names() + (p.page_size > 0 ? " lie in pages or" : " lie") + " in no aligned 16-byte runs, so copies are read";
    return c;
}

/// The host reads any strides and pages, and has one kernel.
inline attention_choice select_host_attention(const attention_problem& p) {
    return {attention_variant::general, host_attention.head_dim, {}, "any strides are read, by blocks of " + std::to_string(host_attention.keys) + " keys and values; head_dim " + std::to_string(p.head_dim) + " runs as it is"};
}

/// Queries of a workgroup on the host: many share the packing of keys, but every thread should have some.
template <class In>
int host_queries(const attention_problem& p, int threads) {
    constexpr int strip = kernel::attention_traits<arch::host, In, host_attention>::strip;
    const index heads = most<index>(p.batch * p.heads, 1), tiles = ceil_div<index>(most<index>(p.seq_q, 1), host_attention.queries());
    const index wanted = most<index>(tiles, ceil_div<index>(4 * threads, heads));   // tiles of a head
    const index rows = ceil_div<index>(ceil_div<index>(most<index>(p.seq_q, 1), wanted), strip) * strip;
    return int(least<index>(rows, host_attention.queries()));
}

}  // namespace fade::tune
