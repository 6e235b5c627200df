// One attention for everything that may be asked of it, small and without chance.
#pragma once
#include <cstdio>
#define DOCTEST_CONFIG_DISABLE  // this is a program, not a suite
#include "common/attention_reference.hpp"

namespace fade::test {

/// Two batches, two heads of one key head; neither queries nor keys fill their last tile, and there are more
/// keys than queries.
inline attention_case usual(index head_dim) {
    attention_case c;
    c.problem = {.batch = 2, .heads = 2, .kv_heads = 1, .seq_q = 37, .seq_k = 83, .head_dim = head_dim};
    c.seed = 7;
    return c;
}

/// Grows a list of cases that differ from the usual one.
struct case_list {
    index head_dim;
    std::vector<attention_case> all{};
    template <class F>
    void add(F change) {
        all.push_back(usual(head_dim));
        change(all.back(), all.back().problem);
    }
};

/// Four heads over two, of which each has factors of its own.
inline void scale_each_head(attention_case& c) {
    c.problem.heads = 4, c.problem.kv_heads = 2, c.scales = true;
}
/// One factor for each tensor.
inline void scale_all_heads(attention_case& c) {
    c.problem.heads = 2, c.problem.kv_heads = 1, c.scales = true;
}

/// What attention_problem and its operands can say beside sizes.
inline std::vector<attention_case> attention_cases(index head_dim) {
    case_list list{head_dim};
    const auto add = [&](auto change) { list.add(change); };
    add([](auto&, auto&) {});
    add([](auto&, auto& p) { p.causal = causal_kind::bottom_right; });
    add([](auto&, auto& p) {
        p.causal = causal_kind::bottom_right, p.seq_q = 150, p.seq_k = 70;
    });  // the first queries see nothing
    add([](auto&, auto& p) { p.causal = causal_kind::top_left, p.seq_q = 150; });
    add([](auto&, auto& p) { p.window_right = 20, p.seq_q = 150, p.seq_k = 200; });
    add([](auto&, auto& p) { p.window_left = 9, p.seq_q = 150, p.seq_k = 200; });
    add([](auto&, auto& p) {
        p.window_left = 130, p.window_right = 3, p.seq_q = 150, p.seq_k = 200;
    });  // the first window begins a tile before the keys
    add([](auto&, auto& p) {
        p.window_right = 1, p.seq_q = 150, p.seq_k = 150;
    });  // one key of a tile is seen, by one query
    add([](auto&, auto& p) {
        p.batch = 1, p.seq_q = 150, p.seq_k = 600;
    });  // scores are computed ahead, of an even number of tiles
    add([](auto&, auto& p) {
        p.batch = 1, p.scale = 1, p.seq_q = 150, p.seq_k = 400;
    });  // few keys have all the weight
    add([](auto&, auto& p) { p.softcap = 2; });
    add([](auto&, auto& p) { p.scale = -0.2; });
    add([](auto&, auto& p) { p.dropout = 0.4, p.seed = 5, p.offset = 100; });
    add([](auto& c, auto&) { c.alibi = true; });
    add([](auto& c, auto&) { c.alibi = c.own_slopes = true; });
    add([](auto& c, auto&) { c.starts = true; });
    add([](auto& c, auto&) { c.sink = true; });
    add([](auto& c, auto&) { c.bias = true; });
    add([](auto& c, auto& p) { c.bias = true, p.softcap = 2, p.window_left = 30; });
    add([](auto& c, auto&) { c.bias = c.one_bias.head = true; });
    add([](auto& c, auto&) { c.counted = true, c.lengths_q = {20, 37}, c.lengths_k = {83, 30}; });
    add([](auto& c, auto& p) { c.torn = true, p.page_size = 5, p.seq_q = 150; });
    add([](auto& c, auto&) { scale_all_heads(c); });
    add([](auto& c, auto&) { scale_each_head(c); });
    add([](auto& c, auto& p) { scale_each_head(c), p.window_left = 30; });
    add([](auto& c, auto& p) { scale_each_head(c), p.softcap = 2; });
    add([](auto&, auto& p) { p.seq_k = 0; });
    add([](auto& c, auto& p) {
        p.seq_q = 150, c.lengths_q = {20, 150}, c.lengths_k = {83, 30}, p.causal = causal_kind::bottom_right;
    });
    add([](auto& c, auto&) { c.lengths_q = {0, 37}, c.lengths_k = {83, 0}; });
    add([](auto& c, auto&) { c.lengths_q = {20, 37}; });
    add([](auto& c, auto&) { c.lengths_k = {83, 30}; });
    add([](auto& c, auto&) { c.lengths_q = {20, 37}, c.lengths_k = {83, 30}, c.padding = 3; });
    add([](auto&, auto& p) {
        p.page_size = 5, p.seq_q = 150;
    });  // too many queries to be decoded, so pages are copied
    add([](auto&, auto& p) { p.page_size = 5, p.seq_q = 150, p.head_dim_v = p.head_dim, p.head_dim -= 16; });
    add([](auto& c, auto&) { c.padding = 3; });
    add([](auto& c, auto&) { c.before_o = 1; });  // outputs that lie in no runs
    add([](auto&, auto& p) { p.head_dim -= 3; });
    add([](auto&, auto& p) { p.head_dim_v = p.head_dim - 16; });
    add([](auto&, auto& p) { p.head_dim_v = p.head_dim, p.head_dim -= 16; });
    return list.all;
}

/// Few queries whose keys lie in pages; with `splits` above 1 also keys that do not.
inline std::vector<attention_case> decoding_cases(index head_dim, int splits) {
    case_list list{head_dim};
    const auto add = [&](auto change) {
        list.add([&](auto& c, auto& p) { p.seq_k = 300, p.page_size = 16, change(c, p); });
    };
    add([](auto&, auto&) {});
    add([](auto&, auto& p) { p.page_size = 5, p.causal = causal_kind::bottom_right; });
    add([](auto& c, auto&) { c.torn = true; });
    add([](auto&, auto& p) {
        p.seq_q = 1, p.heads = 4, p.causal = causal_kind::bottom_right;
    });  // heads of a group are queries of one tile
    add([](auto& c, auto& p) {
        p.seq_q = 1, p.seq_k = 20, c.sink = true;
    });  // but not where something tells them apart
    add([](auto& c, auto& p) { p.seq_q = 1, p.heads = 4, p.kv_heads = 2, c.bias = true; });
    add([](auto& c, auto& p) { p.seq_q = 1, scale_each_head(c); });
    add([](auto& c, auto& p) { p.window_left = 100, c.lengths_q = {37, 20}, c.lengths_k = {300, 0}; });
    add([](auto& c, auto& p) { c.bias = c.sink = true, p.dropout = 0.3, p.seed = 3; });
    add([](auto& c, auto&) { scale_each_head(c); });
    add([](auto& c, auto&) { scale_all_heads(c), c.unscaled_q = true; });  // of which rows know nothing
    add([](auto& c, auto& p) {
        p.heads = 14, p.kv_heads = 2, c.alibi = c.own_slopes = c.sink = true, p.window_left = 40,
        p.causal = causal_kind::bottom_right;
    });  // queries of seven heads fill more than a tile
    add([](auto& c, auto& p) { p.heads = 6, p.kv_heads = 2, p.seq_q = 5, c.starts = true; });
    add([](auto& c, auto& p) {
        p.heads = 6, p.kv_heads = 2, p.seq_q = 5, c.bias = true, p.window_left = 40, p.dropout = 0.2;
    });
    add([](auto& c, auto& p) {
        p.seq_k = 40, p.seq_q = 60, c.padding = 8, p.causal = causal_kind::bottom_right;
    });  // unequal numbers of tiles; the first queries see nothing
    add([](auto&, auto& p) {
        p.seq_q = 133, p.seq_k = 134, p.causal = causal_kind::bottom_right;
    });  // the last query of a tile sees a key that begins a tile
    add([](auto&, auto& p) { p.head_dim_v = p.head_dim, p.head_dim -= 16; });
    add([](auto&, auto& p) { p.head_dim_v = p.head_dim - 3; });
    if (splits == 1) return list.all;
    add([](auto&, auto& p) { p.page_size = 0; });
    add([](auto& c, auto& p) { p.page_size = 0, c.lengths_q = {20, 37}, c.lengths_k = {83, 300}; });
    return list.all;
}

/// So many keys that many workgroups share them, the last of which are left without any.
inline std::vector<attention_case> long_case(index head_dim) {
    case_list list{head_dim};
    list.add([](auto&, auto& p) {
        p.batch = 1, p.seq_q = 20, p.seq_k = 1200, p.scale = 1;
    });  // of some queries few keys of the last shares have all the weight
    return list.all;
}

/// Nothing that no query may see is a number: rows of pages behind the end of a sequence.
template <class Data>
void poison_unseen(Data& x) {
    const attention_problem& p = x.problem;
    for (index b = 0; b < p.batch && p.page_size; ++b)
        for (index j = x.keys(b); j < p.table_width * p.page_size; ++j)
            for (index h = 0; h < p.kv_heads; ++h) {
                std::fill_n(&x.k[std::size_t(x.key_at(b, j, h))], p.head_dim,
                            nearest<typename decltype(x.k)::value_type>(std::nan("")));
                std::fill_n(&x.v[std::size_t(x.value_at(b, j, h))], p.head_dim_v,
                            nearest<typename decltype(x.v)::value_type>(std::nan("")));
            }
}

/// Factors for each head, whatever was drawn.
template <class Data>
void give_factors(Data& x) {
    const auto factors = [](index heads, float first) {
        std::vector<float> out;
        for (index h = 0; h < heads; ++h) out.push_back(first + 0.5f * float(h));
        return out;
    };
    x.scales_q = factors(x.problem.heads, 0.5f), x.scales_k = factors(x.problem.kv_heads, 0.75f),
    x.scales_v = factors(x.problem.kv_heads, 1.25f);
}

/// Were logarithms written behind the end of a sequence?
template <class Data>
bool wrote_behind(const Data& x) {
    const attention_problem& p = x.problem;
    for (index b = 0; b < p.batch; ++b)
        for (index h = 0; h < p.heads; ++h)
            for (index i = x.queries(b); i < p.seq_q; ++i)
                if (!std::isnan(x.lse[std::size_t((b * p.heads + h) * p.seq_q + i)])) return true;
    return false;
}

/// What is wrong with a case; nothing if all is right. `own` is what the reference makes of a score where a
/// rule is given.
template <class T, class Out = T, class Device, class Rule = no_rule>
std::string wrong_attention(Device& device, const attention_case& c, int splits = 0, const Rule& rule = {},
                            decltype(attention_data<T>::score_mod_rule) own = nullptr) {
    attention_data<T, Out> x(c);
    poison_unseen(x);
    if (c.scales && c.problem.kv_heads > 1) give_factors(x);
    x.score_mod_rule = own;
    try {
        attention<T, Out>(device, x.problem, x.operands(), {.split_kv = splits}, rule);
    } catch (const std::exception& e) {
        return e.what();
    }
    return wrote_behind(x) ? "lse was written behind the end of a sequence" : wrong_with(x);
}

/// Says what is wrong; whether anything is.
inline bool complained(const std::string& device, const std::string& wrong) {
    if (!wrong.empty()) std::printf("%s: %s\n", device.c_str(), wrong.substr(0, 200).c_str());
    return !wrong.empty();
}

/// The exit code of a program that tries all cases.
template <class T, class Out = T, class Device>
int tried(Device& device, const std::vector<attention_case>& cases, int splits = 0) {
    for (const attention_case& c : cases)
        if (complained(device.name(), wrong_attention<T, Out>(device, c, splits))) return 1;
    return 0;
}

}  // namespace fade::test
