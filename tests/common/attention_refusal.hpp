// Small attentions that a test spoils, and what is said of them.
#pragma once
#include "common/refusal.hpp"
#include <fade/attention.hpp>

namespace fade::test {

/// Memory for a small call; `spoil` changes problem, operands or options into something that cannot be.
template <class T>
struct small_attention {
    std::vector<T> q = std::vector<T>(4096, nearest<T>(1)), k = q, v = q,
                   o = std::vector<T>(4096, poison<T>());
    int table[3] = {};
    attention_problem problem{.heads = 2, .seq_q = 4, .seq_k = 6, .head_dim = 8};
    attention_operands<T> operands{.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
    attention_options options;
    bool wrote() const {
        return !std::all_of(o.begin(), o.end(), [](T x) { return is_poison(x); });
    }
};

/// What f throws; empty where it throws nothing.
template <class F>
refusal caught(F f) {
    try {
        f();
    } catch (const error& e) {
        return {e.argument(), e.value(), e.rule(), e.what(), false};
    }
    return {};
}

template <class T, class Device, class Spoil>
refusal attention_refusal_of(Device& device, Spoil spoil) {
    small_attention<T> call;
    spoil(call);
    refusal out = caught([&] { attention<T>(device, call.problem, call.operands, call.options); });
    out.wrote = call.wrote();
    return out;
}

}  // namespace fade::test
