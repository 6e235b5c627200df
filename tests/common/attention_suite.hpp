// Random attentions on one device against the reference.
#pragma once
#include "common/attention_reference.hpp"
#include "common/property.hpp"

namespace fade::test {

/// Features that only the general kernel has.
inline void draw_rules(attention_case& c) {
    attention_problem& p = c.problem;
    const auto sometimes = [] { return *rc::gen::inRange(0, 3) == 0; };
    if (sometimes()) p.window_left = *rc::gen::inRange(0, 60);
    if (sometimes() && p.causal == causal_kind::none) p.window_right = *rc::gen::inRange(0, 60);
    if (sometimes()) p.softcap = *rc::gen::element(2.0, 20.0);
    if (sometimes()) p.scale = *rc::gen::element(0.05, 0.3, -0.2);
    if (sometimes())
        p.dropout = *rc::gen::element(0.1, 0.5), p.seed = *rc::gen::arbitrary<std::uint64_t>(),
        p.offset = *rc::gen::inRange<std::uint64_t>(0, 1000);
    c.alibi = sometimes(), c.own_slopes = sometimes(), c.starts = p.dropout == 0 && sometimes();
    c.sink = sometimes(), c.bias = sometimes();
    c.torn = p.page_size > 0 && sometimes();
    if (c.bias) c.one_bias = {sometimes(), sometimes(), sometimes()};
}

/// How sequences lie: of one length, of several (of q, of k and v, or of both), or in pages.
inline void draw_places(attention_case& c) {
    attention_problem& p = c.problem;
    const int kind = *rc::gen::inRange(0, 4);
    if (kind == 1) {
        p.seq_q = p.seq_k = 0;
        for (index b = 0; b < p.batch; ++b) {
            c.lengths_q.push_back(*rc::gen::inRange(0, 90)), c.lengths_k.push_back(*rc::gen::inRange(0, 150));
            p.seq_q = std::max<index>(p.seq_q, c.lengths_q.back()),
            p.seq_k = std::max<index>(p.seq_k, c.lengths_k.back());
        }
        c.counted = *rc::gen::arbitrary<bool>();
        const int of_one_length = *rc::gen::inRange(0, 4);
        if (of_one_length == 1) c.lengths_q.clear(), p.seq_q = std::max<index>(p.seq_q, 1);
        if (of_one_length == 2) c.lengths_k.clear();
    }
    if (kind == 2) p.page_size = *rc::gen::element(1, 5, 16, 64);
    if (kind == 3) c.padding = *rc::gen::inRange(0, 20);
}

inline attention_case draw_attention(int max_dim, bool ruled) {
    attention_case c;
    attention_problem& p = c.problem;
    p.batch = *rc::gen::inRange(1, 3), p.kv_heads = *rc::gen::inRange(1, 3),
    p.heads = p.kv_heads * *rc::gen::inRange(1, 3);
    p.seq_q = *rc::gen::oneOf(rc::gen::just<index>(1), rc::gen::inRange<index>(1, 140),
                              rc::gen::inRange<index>(1, 140)),
    p.seq_k = *rc::gen::inRange(0, 200);
    p.head_dim =
        *rc::gen::oneOf(rc::gen::inRange(1, max_dim + 1), rc::gen::element(min_of(max_dim, 64), max_dim));
    p.causal = *rc::gen::element(causal_kind::none, causal_kind::bottom_right, causal_kind::top_left);
    if (*rc::gen::inRange(0, 4) == 0) p.head_dim_v = *rc::gen::inRange(1, max_dim + 1);
    c.scales = *rc::gen::inRange(0, 4) == 0, c.unscaled_q = *rc::gen::inRange(0, 4) == 0;
    c.before_o = *rc::gen::element(0, 0, 1);
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    draw_places(c);
    if (ruled) draw_rules(c);
    return c;
}

/// Few queries over many keys, and how many workgroups shall share those.
inline attention_options draw_decoding(attention_case& c) {
    if (c.lengths_q.empty() && c.lengths_k.empty())
        c.problem.seq_q = *rc::gen::inRange(1, 40), c.problem.seq_k = *rc::gen::inRange(0, 600);
    return {.split_kv = *rc::gen::element(0, 1, 2, 3, 7, 20)};
}

template <class T, class Out = T, class Device>
void decoding_suite(Device& device, int max_dim, int times) {
    holds(device.name() + " decoding " + name(dtype_v<T>), times, [&] {
        attention_case c = draw_attention(max_dim, *rc::gen::arbitrary<bool>());
        const attention_options options = draw_decoding(c);
        attention_data<T, Out> x(c);
        const report r = attention<T, Out>(device, x.problem, x.operands(), options);
        must_be_right(c, wrong_with(x) + (options.split_kv > 1 && c.problem.seq_k > 0 &&
                                                  r.chosen.find("decode") == r.chosen.npos
                                              ? " split_kv was ignored"
                                              : ""));
    });
}

template <class T, class Out = T, class Device>
void attention_suite(Device& device, int max_dim, int times) {
    for (bool ruled : {false, true})
        holds(device.name() + " attention " + (ruled ? "with rules " : "") + name(dtype_v<T>), times, [&] {
            const attention_case c = draw_attention(max_dim, ruled);
            attention_data<T, Out> x(c);
            attention<T, Out>(device, x.problem, x.operands());
            must_be_right(c, wrong_with(x));
        });
    if constexpr (!std::is_same_v<Device, host_device>) decoding_suite<T, Out>(device, max_dim, times);
}

}  // namespace fade::test
