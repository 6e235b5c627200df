// What random attentions must reach: cases are steered there, so that no run goes without.
#pragma once
#include "common/attention_suite.hpp"

namespace fade::test {

/// A case, and what branches ask of it.
struct asked_attention {
    attention_case c;
    index group() const { return c.problem.heads / c.problem.kv_heads; }
    bool one_query() const { return c.problem.seq_q == 1 && group() > 1; }
    index queries(index b) const {
        return c.lengths_q.empty() ? c.problem.seq_q : c.lengths_q[std::size_t(b)];
    }
    index keys(index b) const { return c.lengths_k.empty() ? c.problem.seq_k : c.lengths_k[std::size_t(b)]; }
    /// Does `holds(query's own position, keys)` for some query of some sequence?
    template <class F>
    bool any_query(F holds) const {
        for (index b = 0; b < c.problem.batch; ++b)
            for (index i = 0; i < queries(b); ++i)
                if (holds(c.problem.causal == causal_kind::top_left ? i : i + keys(b) - queries(b), keys(b)))
                    return true;
        return false;
    }
};

/// What makes a random case likely to reach it, and whether one does.
struct attention_branch {
    const char* name;
    void (*steer)(attention_case&);
    bool (*is_reached)(const asked_attention&);
};

/// Sequences of one length, long enough for masks to have edges.
inline void of_one_length(attention_case& c, index queries, index keys) {
    c.lengths_q.clear(), c.lengths_k.clear(), c.problem.seq_q = queries, c.problem.seq_k = keys;
}
/// One query of heads that share keys.
inline void one_grouped_query(attention_case& c) {
    of_one_length(c, 1, 40), c.problem.heads = 2 * c.problem.kv_heads, c.problem.window_left = -1;
}
inline void of_several_heads(attention_case& c) {
    of_one_length(c, 7, 50), c.problem.batch = 2, c.problem.kv_heads = 2, c.problem.heads = 4;
}
inline void with_lengths(attention_case& c, std::vector<int> queries, std::vector<int> keys, bool counted) {
    of_one_length(c, 30, 90);
    c.problem.batch = 2, c.problem.page_size = 0, c.padding = 0, c.counted = counted,
    c.lengths_q = std::move(queries), c.lengths_k = std::move(keys);
}

/// What a random case may miss for many runs: edges of masks, ways to lie, rules that act together.
inline constexpr attention_branch attention_branches[] = {
    {"the first key of a left window exists",
     [](attention_case& c) { of_one_length(c, 40, 60), c.problem.window_left = 3; },
     [](const asked_attention& a) {
         const index left = a.c.problem.window_left;
         return left >= 0 &&
                a.any_query([&](index at, index keys) { return at >= left && at - left < keys; });
     }},
    {"the last key of a right window exists, and one behind it",
     [](attention_case& c) {
         of_one_length(c, 40, 60), c.problem.causal = causal_kind::none, c.problem.window_right = 3;
     },
     [](const asked_attention& a) {
         const attention_problem& p = a.c.problem;
         return p.causal == causal_kind::none && p.window_right >= 0 &&
                a.any_query([&](index at, index keys) {
                    return at + p.window_right >= 0 && at + p.window_right + 1 < keys;
                });
     }},
    {"a window on both sides",
     [](attention_case& c) {
         of_one_length(c, 40, 60), c.problem.causal = causal_kind::none, c.problem.window_left = 4,
                                   c.problem.window_right = 2;
     },
     [](const asked_attention& a) { return a.c.problem.window_left >= 0 && a.c.problem.window_right >= 0; }},
    {"causality at the bottom right, with queries before the first key",
     [](attention_case& c) {
         of_one_length(c, 60, 30), c.problem.causal = causal_kind::bottom_right, c.problem.window_right = -1;
     },
     [](const asked_attention& a) {
         return a.c.problem.causal == causal_kind::bottom_right &&
                a.any_query([](index at, index keys) { return at < 0 && keys > 0; });
     }},
    {"causality at the top left, with queries behind the last key",
     [](attention_case& c) {
         of_one_length(c, 60, 30), c.problem.causal = causal_kind::top_left, c.problem.window_right = -1;
     },
     [](const asked_attention& a) {
         return a.c.problem.causal == causal_kind::top_left &&
                a.any_query([](index at, index keys) { return at >= keys && keys > 0; });
     }},
    {"one query of grouped heads that nothing tells apart",
     [](attention_case& c) {
         one_grouped_query(c), c.alibi = c.sink = c.bias = c.scales = false, c.problem.dropout = 0,
                               c.problem.causal = causal_kind::none;
     },
     [](const asked_attention& a) {
         return a.one_query() && a.c.problem.window_left < 0 && !a.c.alibi && !a.c.sink && !a.c.bias &&
                !a.c.scales && a.c.problem.dropout == 0 && a.c.problem.causal != causal_kind::top_left &&
                a.c.lengths_q.empty() && a.c.problem.seq_k > 1;
     }},
    {"one query of grouped heads, and a window on the left that hides keys",
     [](attention_case& c) {
         one_grouped_query(c), c.alibi = c.sink = c.bias = c.scales = false, c.problem.dropout = 0,
                               c.problem.window_left = 5, c.problem.causal = causal_kind::none;
     },
     [](const asked_attention& a) {
         return a.one_query() && a.c.problem.window_left >= 0 &&
                a.c.problem.causal != causal_kind::top_left &&
                a.c.problem.seq_k > a.c.problem.window_left + 4;
     }},
    {"one query of grouped heads, causal at the top left",
     [](attention_case& c) {
         one_grouped_query(c), c.alibi = c.sink = c.bias = c.scales = false, c.problem.dropout = 0,
                               c.problem.causal = causal_kind::top_left, c.problem.window_right = -1;
     },
     [](const asked_attention& a) {
         return a.one_query() && a.c.problem.causal == causal_kind::top_left && a.c.problem.seq_k > 4;
     }},
    {"one query of grouped heads with ALiBi", [](attention_case& c) { one_grouped_query(c), c.alibi = true; },
     [](const asked_attention& a) { return a.one_query() && a.c.alibi && a.c.problem.seq_k > 4; }},
    {"one query of grouped heads with sinks", [](attention_case& c) { one_grouped_query(c), c.sink = true; },
     [](const asked_attention& a) { return a.one_query() && a.c.sink && a.c.problem.seq_k > 0; }},
    {"one query of grouped heads with a bias of each head",
     [](attention_case& c) { one_grouped_query(c), c.bias = true, c.one_bias = {}; },
     [](const asked_attention& a) {
         return a.one_query() && a.c.bias && !a.c.one_bias.head && a.c.problem.seq_k > 4;
     }},
    {"one query of grouped heads with dropout",
     [](attention_case& c) { one_grouped_query(c), c.problem.dropout = 0.5; },
     [](const asked_attention& a) {
         return a.one_query() && a.c.problem.dropout > 0 && a.c.problem.seq_k > 8;
     }},
    {"one query of grouped heads with factors",
     [](attention_case& c) { one_grouped_query(c), c.scales = true, c.unscaled_q = false; },
     [](const asked_attention& a) {
         return a.one_query() && a.c.scales && !a.c.unscaled_q && a.c.problem.seq_k > 1;
     }},
    {"a bias of all batches",
     [](attention_case& c) { of_several_heads(c), c.bias = true, c.one_bias = {true, false, false}; },
     [](const asked_attention& a) {
         return a.c.bias && a.c.one_bias.batch && !a.c.one_bias.head && a.c.problem.batch > 1 &&
                a.c.problem.seq_k > 1;
     }},
    {"a bias of all heads",
     [](attention_case& c) { of_several_heads(c), c.bias = true, c.one_bias = {false, true, false}; },
     [](const asked_attention& a) {
         return a.c.bias && a.c.one_bias.head && !a.c.one_bias.batch && a.c.problem.heads > 1 &&
                a.c.problem.batch > 1 && a.c.problem.seq_k > 1;
     }},
    {"a bias of all queries",
     [](attention_case& c) { of_several_heads(c), c.bias = true, c.one_bias = {false, false, true}; },
     [](const asked_attention& a) {
         return a.c.bias && a.c.one_bias.query && !a.c.one_bias.head && a.c.problem.seq_q > 1 &&
                a.c.problem.heads > 1 && a.c.problem.seq_k > 1;
     }},
    {"dropout of several heads and batches, from an offset on",
     [](attention_case& c) { of_several_heads(c), c.problem.dropout = 0.3, c.problem.offset = 77; },
     [](const asked_attention& a) {
         return a.c.problem.dropout > 0 && a.c.problem.heads > 1 && a.c.problem.batch > 1 &&
                a.c.problem.offset > 0 && a.c.problem.seq_k > 8;
     }},
    {"a negative scale", [](attention_case& c) { of_several_heads(c), c.problem.scale = -0.2; },
     [](const asked_attention& a) { return a.c.problem.scale < 0 && a.c.problem.seq_k > 1; }},
    {"a softcap that bends", [](attention_case& c) { of_several_heads(c), c.problem.softcap = 2; },
     [](const asked_attention& a) {
         return a.c.problem.softcap > 0 && a.c.problem.softcap < 5 && a.c.problem.seq_k > 1;
     }},
    {"ALiBi with positions on both sides",
     [](attention_case& c) {
         of_one_length(c, 30, 50), c.alibi = true, c.problem.causal = causal_kind::none;
     },
     [](const asked_attention& a) {
         return a.c.alibi && a.any_query([](index at, index keys) { return at > 0 && at + 1 < keys; });
     }},
    {"sinks of queries that see nothing",
     [](attention_case& c) {
         of_one_length(c, 50, 20), c.sink = true, c.problem.causal = causal_kind::bottom_right,
                                   c.problem.window_right = -1;
     },
     [](const asked_attention& a) {
         return a.c.sink && a.c.problem.causal == causal_kind::bottom_right &&
                a.any_query([](index at, index) { return at < 0; });
     }},
    {"pages of one position",
     [](attention_case& c) { of_several_heads(c), c.padding = 0, c.problem.page_size = 1; },
     [](const asked_attention& a) {
         return a.c.problem.page_size == 1 && a.c.problem.seq_k > 1 && a.c.problem.batch > 1;
     }},
    {"pages of which the last is not full",
     [](attention_case& c) { of_several_heads(c), c.padding = 0, c.problem.page_size = 16; },
     [](const asked_attention& a) {
         return a.c.problem.page_size > 1 && a.c.problem.seq_k > a.c.problem.page_size &&
                a.c.problem.seq_k % a.c.problem.page_size != 0;
     }},
    {"packed sequences, of which one has no keys",
     [](attention_case& c) { with_lengths(c, {30, 9}, {0, 90}, false); },
     [](const asked_attention& a) {
         return !a.c.counted && !a.c.lengths_k.empty() && a.c.problem.seq_k > 0 &&
                std::count(a.c.lengths_k.begin(), a.c.lengths_k.end(), 0) > 0;
     }},
    {"packed queries over keys of one length", [](attention_case& c) { with_lengths(c, {9, 30}, {}, false); },
     [](const asked_attention& a) {
         return !a.c.counted && a.c.lengths_q.size() > 1 && a.c.lengths_k.empty() && a.c.problem.seq_k > 0;
     }},
    {"counted keys that end before their sequence's place",
     [](attention_case& c) { with_lengths(c, {}, {17, 90}, true); },
     [](const asked_attention& a) {
         return a.c.counted && a.c.lengths_k.size() > 1 && a.keys(0) > 0 && a.keys(0) < a.c.problem.seq_k;
     }},
    {"counted queries", [](attention_case& c) { with_lengths(c, {9, 30}, {90, 41}, true); },
     [](const asked_attention& a) {
         return a.c.counted && a.c.lengths_q.size() > 1 && a.queries(0) > 0 &&
                a.queries(0) < a.c.problem.seq_q;
     }},
    {"rows that are copied, since they are no whole runs",
     [](attention_case& c) { of_several_heads(c), c.problem.head_dim = 35, c.problem.page_size = 0; },
     [](const asked_attention& a) {
         return a.c.problem.head_dim % 8 != 0 && a.c.problem.page_size == 0 && a.c.problem.seq_k > 1;
     }},
    {"values of another width",
     [](attention_case& c) { of_several_heads(c), c.problem.head_dim = 64, c.problem.head_dim_v = 24; },
     [](const asked_attention& a) {
         return a.c.problem.head_dim_v != 0 && a.c.problem.head_dim_v != a.c.problem.head_dim &&
                a.c.problem.seq_k > 1;
     }},
    {"gaps between positions",
     [](attention_case& c) { of_several_heads(c), c.problem.page_size = 0, c.padding = 7; },
     [](const asked_attention& a) { return a.c.padding > 0 && a.c.problem.seq_k > 1; }},
    {"an output that begins inside a run", [](attention_case& c) { c.before_o = 1; },
     [](const asked_attention& a) { return a.c.before_o > 0; }},
};

/// Tries a random case of each branch, that is steered there; fails where one is wrong or goes elsewhere.
template <class T, class Out = T, class Device>
void branch_suite(Device& device, int max_dim) {
    for (const attention_branch& branch : attention_branches)
        holds(device.name() + ": " + branch.name, 1, [&] {
            asked_attention a{draw_attention(max_dim, true)};
            branch.steer(a.c);
            RC_ASSERT(branch.is_reached(a));
            attention_data<T, Out> x(a.c);
            attention<T, Out>(device, x.problem, x.operands());
            must_be_right(a.c, wrong_with(x));
        });
}

}  // namespace fade::test
