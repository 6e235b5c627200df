// The router, and the steps around the products of experts, captured as launches on an architecture would be.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include "launched.hpp"
#include <algorithm>
#include <cmath>
#include <fade/moe.hpp>
#include <random>

namespace fade::replay {

/// Choices of experts, some of none, and where they stand when a stable sort has them in order.
struct sorted_choices {
    std::vector<int> choices, ends, rows, slots;

    sorted_choices(int tokens, int top_k, int experts, std::mt19937_64& random)
        : slots(std::size_t(tokens * top_k), -1) {
        for (int i = 0; i < tokens * top_k; ++i)
            choices.push_back(int(random() % std::uint64_t(experts + 2)) - 1);
        for (int e = 0; e < experts; ++e) {
            for (int i = 0; i < tokens * top_k; ++i)
                if (choices[std::size_t(i)] == e)
                    slots[std::size_t(i)] = int(rows.size()), rows.push_back(i / top_k);
            ends.push_back(int(rows.size()));
        }
    }
};

inline void capture_dispatch(capture_target target, const fs::path& folder, const sorted_choices& s,
                             int top_k) {
    const index tokens = index(s.choices.size()) / top_k;
    std::vector<int> ends(s.ends.size()), rows(s.choices.size()), slots(s.choices.size());
    operation_plan plan;
    moe_dispatch(target, {tokens, top_k, int(ends.size())},
                 {s.choices.data(), ends.data(), rows.data(), slots.data()}, {.plan = &plan});
    capture out(folder);
    const auto memory = [&](const char* name, const std::vector<int>& of, const char* role) {
        out.memory(name, of.data(), of.size() * sizeof(int), role);
    };
    memory("choices", s.choices, "in"), memory("ends", ends, "out");
    memory("rows", rows, "inout"), memory("slots", slots, "out");
    for (const auto& launch : plan.launches) out.launch(target.row(), launch);
    const auto expect = [&](const char* name, const std::vector<int>& of) {
        std::vector<double> values(of.begin(), of.end());
        values.resize(name[0] == 'r' ? rows.size() : of.size());
        out.expect(name, "i32", values, 0);
    };
    expect("ends", s.ends), expect("rows", s.rows), expect("slots", s.slots);
    out.close();
}

/// In runs of 16 bytes, and element by element.
inline void capture_combine(capture_target target, const fs::path& folder, const sorted_choices& s, int top_k,
                            int columns, std::mt19937_64& random) {
    const index tokens = index(s.choices.size()) / top_k, rows = index(s.rows.size());
    std::normal_distribution<double> normal;
    std::vector<f16> x(std::size_t(rows * columns)), y(std::size_t(tokens * columns));
    std::vector<float> weights(s.choices.size());
    for (f16& v : x) v = test::nearest<f16>(normal(random));
    for (float& v : weights) v = float(normal(random));
    std::vector<double> wanted(y.size());
    for (std::size_t i = 0; i < s.choices.size(); ++i)
        for (int c = 0; c < columns && s.slots[i] >= 0; ++c)
            wanted[i / std::size_t(top_k) * std::size_t(columns) + std::size_t(c)] +=
                weights[i] * test::value_of(x[std::size_t(s.slots[i] * columns + c)]);
    operation_plan plan;
    moe_combine<f16>(target, {.tokens = tokens, .top_k = top_k, .columns = columns, .rows = rows},
                     {x.data(), s.slots.data(), weights.data(), y.data()}, {.plan = &plan});
    capture out(folder);
    out.memory("x", x.data(), x.size() * 2, "in"), out.memory("y", y.data(), y.size() * 2, "out");
    out.memory("slots", s.slots.data(), s.slots.size() * 4, "in");
    out.memory("weights", weights.data(), weights.size() * 4, "in");
    for (const auto& launch : plan.launches) out.launch(target.row(), launch);
    out.expect("y", "f16", wanted, 0x1p-10);
    out.close();
}

/// The largest logits of each token, in rows that are no whole runs, and the softmax of those.
inline void capture_route(capture_target target, const fs::path& folder, int tokens, int experts,
                          std::mt19937_64& random) {
    constexpr int top_k = 3;
    const auto at = [](int row, int stride, int column) { return std::size_t(row * stride + column); };
    std::vector<f16> logits(at(tokens, experts, 0));
    std::vector<double> wanted_choices, wanted_weights;
    for (int t = 0; t < tokens; ++t) {
        std::vector<int> order;
        for (int e = 0; e < experts; ++e)  // each number once
            order.push_back(e), logits[at(t, experts, e)] = test::nearest<f16>(0.0078125 * e - 4);
        std::shuffle(logits.begin() + t * experts, logits.begin() + (t + 1) * experts, random);
        const auto value = [&](int e) { return test::value_of(logits[at(t, experts, e)]); };
        std::sort(order.begin(), order.end(), [&](int a, int b) { return value(a) > value(b); });
        double sum = 0;
        for (int i = 0; i < top_k; ++i) sum += std::exp(value(order[std::size_t(i)]));
        for (int i = 0; i < top_k; ++i) {
            const int e = order[std::size_t(i)];
            wanted_choices.push_back(e), wanted_weights.push_back(std::exp(value(e)) / sum);
        }
    }
    std::vector<int> choices(at(tokens, top_k, 0));
    std::vector<float> weights(choices.size());
    operation_plan plan;
    moe_route(target, {.tokens = tokens, .experts = experts, .top_k = top_k}, logits.data(), choices.data(),
              weights.data(), {.plan = &plan});
    capture out(folder);
    keep(out, "logits", logits, "in"), keep(out, "choices", choices, "out");
    keep(out, "weights", weights, "out");
    for (const auto& launch : plan.launches) out.launch(target.row(), launch);
    out.expect("choices", "i32", wanted_choices, 0), out.expect("weights", "f32", wanted_weights, 1e-5);
    out.close();
}

/// Routes to more experts than two runs of 16 bytes a lane of a wave hold.
inline void capture_experts(capture_target target, const fs::path& at, int wave_size,
                            std::mt19937_64& random) {
    constexpr int top_k = 3;
    const sorted_choices s(120 + int(random() % 60), top_k, 5, random);
    capture_route(target, at / "moe-route", 2, 16 * wave_size + 9, random);
    capture_dispatch(target, at / "moe-dispatch", s, top_k);
    capture_combine(target, at / "moe-combine", s, top_k, 40, random);
    capture_combine(target, at / "moe-combine-elements", s, top_k, 21, random);
}

}  // namespace fade::replay
