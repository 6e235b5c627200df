// Attention whose tables the kernel before writes until a workgroup awaits its inputs.
#pragma once
#include "common/attention_reference.hpp"
#include "common/late_inputs.hpp"

namespace fade::test {

/// What is wrong with attention whose tables are there when it awaits them; empty where nothing is. The
/// device has one thread.
template <class T, class Device>
std::string wrong_with_late_tables(Device& device, const attention_case& c, int splits = 1) {
    attention_data<T> x(c);
    late_inputs inputs;
    for (std::vector<int>* ints : {&x.begin_q, &x.begin_k, &x.counts_q, &x.counts_k, &x.starts_k, &x.table})
        inputs.add(*ints);
    for (std::vector<float>* floats : {&x.sinks, &x.slopes, &x.bias, &x.scales_q, &x.scales_k, &x.scales_v})
        inputs.add(*floats);
    device.monitor().inputs = &inputs;
    attention<T>(device, x.problem, x.operands(), {.split_kv = splits});
    device.monitor().inputs = nullptr;
    inputs.here();
    return inputs.begun ? wrong_with(x) : "no workgroup awaited its inputs itself";
}

/// Attentions with one table each, or with one of pages beside it.
inline std::vector<attention_case> cases_of_tables(index head_dim) {
    std::vector<attention_case> all;
    const auto add = [&](auto change) {
        for (const int page_size : {0, 16}) {
            attention_case c;
            c.problem = {
                .batch = 2, .heads = 2, .kv_heads = 1, .seq_q = 40, .seq_k = 83, .head_dim = head_dim};
            c.problem.page_size = page_size, c.seed = 7 + all.size();
            change(c), all.push_back(c);
        }
    };
    add([](auto& c) { c.lengths_q = {20, 37}; });
    add([](auto& c) { c.lengths_k = {83, 30}; });
    add([](auto& c) { c.starts = true; });
    add([](auto& c) { c.sink = true; });
    add([](auto& c) { c.scales = true; });
    add([](auto& c) { c.bias = true; });
    add([](auto& c) { c.alibi = true; });
    add([](auto& c) { c.torn = true, c.problem.page_size = 16; });
    return all;
}

}  // namespace fade::test
