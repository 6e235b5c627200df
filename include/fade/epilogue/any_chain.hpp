// A chain chosen at run time: one compiled kernel serves every sequence of stages.
#pragma once
#include <fade/core/error.hpp>
#include <fade/epilogue/bias.hpp>
#include <fade/epilogue/gelu.hpp>
#include <fade/epilogue/gradient.hpp>
#include <fade/epilogue/relu.hpp>
#include <fade/epilogue/residual.hpp>
#include <fade/epilogue/row.hpp>
#include <fade/epilogue/scale.hpp>
#include <fade/epilogue/silu.hpp>
#include <stdexcept>

namespace FADE_NAMESPACE {

enum class stage_kind {
    bias,
    bias_col,
    relu,
    gelu,
    gelu_tanh,
    silu,
    sigmoid,
    clamp,
    scale,
    residual,
    mul,
    drelu,
    dgelu,
    dsilu
};

constexpr const char* name(stage_kind k) {
    constexpr const char* names[] = {"bias",  "bias_col", "relu",     "gelu", "gelu_tanh", "silu",  "sigmoid",
                                     "clamp", "scale",    "residual", "mul",  "drelu",     "dgelu", "dsilu"};
    return names[int(k)];
}

/// Up to eight stages over memory of type T. On GPUs slower than a compile-time chain by a branch a stage and
/// element; the host branches once a row.
template <class T>
struct any_chain : epilogue::stage {
    static constexpr const char* name = "any_chain";
    static constexpr bool floating = floating_element<T>;
    static constexpr int max_stages = 8;
    struct any_stage {
        stage_kind kind;
        epilogue::matrix_source<T> source;
        float low, high;
    };
    any_stage stages[max_stages] = {};
    int count = 0;

    /// A stage that reads memory takes `values` (and `ld`, `batch_stride` for matrices), scale its factor and
    /// clamp its limits in low and high.
    any_chain& push(stage_kind kind, const T* values = nullptr, index ld = 0, index batch_stride = -1,
                    float low = 0, float high = 0) {
        return push_source(kind, {values, ld, batch_stride}, low, high);
    }
    /// The same with memory that knows its length.
    template <epilogue::sized_memory C>
    any_chain& push(stage_kind kind, C&& values, index ld = 0, index batch_stride = -1) {
        return push_source(kind, epilogue::source_from(std::forward<C>(values), ld, batch_stride), 0, 0);
    }

    void bind(const epilogue::output_shape& d) {
        for (int i = 0; i < count; ++i) bind_stage(stages[i], d);
    }

    template <class Value>
    FADE_FN Value operator()(Value v, const epilogue::position& at) const {
        for (int i = 0; i < count; ++i)
            with_stage<Value>(stages[i], [&](const auto& one) { v = one(v, at); });
        return v;
    }
    template <class Value>
    void on_row(Value* row, int columns, const epilogue::position& at) const {
        for (int i = 0; i < count; ++i)
            with_stage<Value>(stages[i], [&](const auto& one) { apply_to_row(one, row, columns, at); });
    }

private:
    any_chain& push_source(stage_kind kind, const epilogue::matrix_source<T>& source, float low, float high) {
        if (std::is_integral_v<T> && !keeps_integers(kind))
            throw error(
                "epilogue", fade::name(kind),
                "a chain of integers takes bias, bias_col, relu, clamp, residual, mul and drelu only");
        if (count == max_stages)
            throw error("epilogue", "more than 8 stages", "a chain chosen at run time holds at most 8");
        stages[count++] = {kind, source, low, high};
        return *this;
    }
    static void bind_stage(any_stage& s, const epilogue::output_shape& d) {
        if (s.kind == stage_kind::bias)
            epilogue::bias_stage<T>(s.source.values, s.source.count).bind(d);
        else if (s.kind == stage_kind::bias_col)
            epilogue::bias_col_stage<T>(s.source.values, s.source.count).bind(d);
        else if (s.kind >= stage_kind::residual)
            s.source.bind(fade::name(s.kind), d);
    }

    static constexpr bool keeps_integers(stage_kind k) {
        using enum stage_kind;
        return k == bias || k == bias_col || k == relu || k == clamp || k == residual || k == mul ||
               k == drelu;
    }
    /// f(stage), where values of that type can go through it.
    template <class Value, class Stage, class F>
    FADE_FN static void real(const Stage& one, const F& f) {
        if constexpr (!std::is_integral_v<Value>) f(one);
    }
    template <class Value, class F>
    FADE_FN static void with_stage(const any_stage& s, const F& f) {
        using namespace epilogue;
        switch (s.kind) {
        case stage_kind::bias:
            return f(bias_stage<T>(s.source.values));
        case stage_kind::bias_col:
            return f(bias_col_stage<T>(s.source.values));
        case stage_kind::relu:
            return f(relu_stage{});
        case stage_kind::gelu:
            return real<Value>(gelu_stage{}, f);
        case stage_kind::gelu_tanh:
            return real<Value>(gelu_tanh_stage{}, f);
        case stage_kind::silu:
            return real<Value>(silu_stage{}, f);
        case stage_kind::sigmoid:
            return real<Value>(sigmoid_stage{}, f);
        case stage_kind::clamp:
            return f(clamp_stage(s.low, s.high));
        case stage_kind::scale:
            return real<Value>(scale_stage(s.low), f);
        case stage_kind::residual:
            return f(residual_stage<T>(s.source));
        case stage_kind::mul:
            return f(mul_stage<T>(s.source));
        case stage_kind::drelu:
            return f(drelu_stage<T>(s.source));
        case stage_kind::dgelu:
            return real<Value>(dgelu_stage<T>(s.source), f);
        case stage_kind::dsilu:
            return real<Value>(dsilu_stage<T>(s.source), f);
        }
    }
};

template <class T>
inline constexpr bool epilogue::chosen_at_run_time<any_chain<T>> = true;

template <class T>
std::string name_of(const any_chain<T>& c) {
    std::string out;
    for (int i = 0; i < c.count; ++i) {
        if (i) out += '+';
        out += name(c.stages[i].kind);
    }
    return out.empty() ? "none" : out;
}

}  // namespace FADE_NAMESPACE
