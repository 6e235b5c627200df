// One attention for everything that may be asked of it, small and without chance.
#pragma once
#include <cstdio>
#define DOCTEST_CONFIG_DISABLE   // this is a program, not a suite
#include "common/attention_reference.hpp"

namespace fade::test {

/// Two batches, two heads of one key head; neither queries nor keys fill their last tile, and there are more keys than queries.
inline attention_case usual(index head_dim) {
    attention_case c;
    c.problem = {.batch = 2, .heads = 2, .kv_heads = 1, .seq_q = 37, .seq_k = 83, .head_dim = head_dim};
    c.seed = 7;
    return c;
}

/// What attention_problem and its operands can say beside sizes.
inline std::vector<attention_case> attention_cases(index head_dim) {
    std::vector<attention_case> all;
    const auto add = [&](auto change) {
        attention_case c = usual(head_dim);
        change(c, c.problem);
        all.push_back(c);
    };
    add([](auto&, auto&) {});
    add([](auto&, auto& p) { p.causal = causal_kind::bottom_right; });
    add([](auto&, auto& p) { p.causal = causal_kind::bottom_right, p.seq_q = 150, p.seq_k = 70; });   // the first queries see nothing
    add([](auto&, auto& p) { p.causal = causal_kind::top_left, p.seq_q = 150; });
    add([](auto&, auto& p) { p.window_right = 20, p.seq_q = 150, p.seq_k = 200; });
    add([](auto&, auto& p) { p.window_left = 9, p.seq_q = 150, p.seq_k = 200; });
    add([](auto&, auto& p) { p.window_left = 130, p.window_right = 3, p.seq_q = 150, p.seq_k = 200; });   // the first window begins a tile before the keys
    add([](auto&, auto& p) { p.window_right = 1, p.seq_q = 150, p.seq_k = 150; });                       // one key of a tile is seen, by one query
    add([](auto&, auto& p) { p.softcap = 2; });
    add([](auto&, auto& p) { p.scale = -0.2; });
    add([](auto&, auto& p) { p.dropout = 0.4, p.seed = 5, p.offset = 100; });
    add([](auto& c, auto&) { c.alibi = true; });
    add([](auto& c, auto&) { c.sink = true; });
    add([](auto&, auto& p) { p.seq_k = 0; });
    add([](auto& c, auto& p) { p.seq_q = 150, c.lengths_q = {20, 150}, c.lengths_k = {83, 30}, p.causal = causal_kind::bottom_right; });
    add([](auto& c, auto&) { c.lengths_q = {0, 37}, c.lengths_k = {83, 0}; });
    add([](auto& c, auto&) { c.lengths_q = {20, 37}, c.lengths_k = {83, 30}, c.padding = 3; });
    add([](auto&, auto& p) { p.page_size = 5; });
    add([](auto& c, auto&) { c.padding = 3; });
    add([](auto&, auto& p) { p.head_dim -= 3; });
    return all;
}

/// What is wrong with a case; nothing if all is right.
template <class T, class Device>
std::string wrong_attention(Device& device, const attention_case& c) {
    attention_data<T> x(c);
    try {
        attention<T>(device, x.problem, x.operands());
    } catch (const std::exception& e) { return e.what(); }
    return wrong_with(x);
}

/// The exit code of a program that tries all cases.
template <class T, class Device>
int tried(Device& device, const std::vector<attention_case>& cases) {
    for (const attention_case& c : cases) {
        const std::string wrong = wrong_attention<T>(device, c);
        if (wrong.empty()) continue;
        std::printf("%s: %s\n", device.name().c_str(), wrong.substr(0, 200).c_str());
        return 1;
    }
    return 0;
}

}  // namespace fade::test
