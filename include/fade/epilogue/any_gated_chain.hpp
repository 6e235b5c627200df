// A chain with a gate, chosen at run time: stages before the gate, the gate, and stages behind it.
#pragma once
#include <fade/epilogue/any_chain.hpp>
#include <fade/epilogue/gated.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

/// swiglu, geglu or geglu_tanh.
struct any_gate : gate {
    static constexpr const char* name = "any_gate";
    static constexpr bool floating = true;
    stage_kind kind;
    explicit any_gate(stage_kind k) : kind(k) {
        if (!is_gate(k)) throw error("epilogue", fade::name(k), "the gates are swiglu, geglu and geglu_tanh");
    }
    template <class Value>
    FADE_FN Value operator()(Value left, Value right, const position& at) const {
        return kind == stage_kind::swiglu  ? swiglu_stage{}(left, right, at)
               : kind == stage_kind::geglu ? geglu_stage{}(left, right, at)
                                           : geglu_tanh_stage{}(left, right, at);
    }
    void on_row(float* row, int columns, const position& at) const {
        chosen([&](const auto& one) { one.on_row(row, columns, at); });
    }
    void bind(const output_shape& d) const {
        chosen([&](const auto& one) { one.bind(d); });
    }

private:
    template <class F>
    void chosen(const F& f) const {
        if (kind == stage_kind::swiglu) f(swiglu_stage{});
        if (kind == stage_kind::geglu) f(geglu_stage{});
        if (kind == stage_kind::geglu_tanh) f(geglu_tanh_stage{});
    }
};

template <class T>
using any_gated = chain<chain<any_chain<T>, any_gate>, any_chain<T>>;

template <>
inline constexpr bool chosen_at_run_time<any_gate> = true;

inline std::string name_of(const any_gate& g) { return fade::name(g.kind); }

template <class T>
std::string name_of(const any_gated<T>& c) {
    std::string out = name(c.first.second.kind);
    if (c.first.first.count) out = name_of(c.first.first) + '+' + out;
    if (c.second.count) out += '+' + name_of(c.second);
    return out;
}

}  // namespace epilogue

/// `before` sees the columns of the product, `behind` those of D, half as many; gate is swiglu, geglu or
/// geglu_tanh. T: the type of the memory of both, f64, f32, f16 or bf16.
template <class T>
epilogue::any_gated<T> any_gated_chain(const any_chain<T>& before, stage_kind gate,
                                       const any_chain<T>& behind) {
    static_assert(!std::is_integral_v<T>, "a gate makes reals, so its chain has memory of reals");
    return before | epilogue::any_gate(gate) | behind;
}

}  // namespace FADE_NAMESPACE
