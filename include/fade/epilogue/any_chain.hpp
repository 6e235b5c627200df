// A chain chosen at run time: one compiled kernel serves every sequence of stages.
#pragma once
#include <stdexcept>
#include <fade/core/error.hpp>
#include <fade/epilogue/bias.hpp>
#include <fade/epilogue/gelu.hpp>
#include <fade/epilogue/gradient.hpp>
#include <fade/epilogue/relu.hpp>
#include <fade/epilogue/residual.hpp>
#include <fade/epilogue/scale.hpp>
#include <fade/epilogue/silu.hpp>

namespace fade {

enum class stage_kind { bias, bias_col, relu, gelu, gelu_tanh, silu, sigmoid, clamp, scale, residual, mul, drelu, dgelu, dsilu };

constexpr const char* name(stage_kind k) {
    constexpr const char* names[] = {"bias", "bias_col", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "clamp", "scale", "residual", "mul", "drelu", "dgelu", "dsilu"};
    return names[int(k)];
}

/// Up to eight stages over memory of type T. Slower than a compile-time chain by a branch a stage and element.
template <class T>
struct any_chain : epilogue::stage {
    static constexpr const char* name = "any_chain";
    static constexpr int most_stages = 8;
    struct any_stage {
        stage_kind kind;
        epilogue::matrix_source<T> source;
        float low, high;
    };
    any_stage stages[most_stages] = {};
    int count = 0;

    /// A stage that reads memory takes `values` (and `ld`, `batch_stride` for matrices), scale its factor and clamp its limits in low and high.
    any_chain& push(stage_kind kind, const T* values = nullptr, index ld = 0, index batch_stride = 0, float low = 0, float high = 0) {
        if (std::is_integral_v<T> && !keeps_integers(kind)) throw error("epilogue", fade::name(kind), "integer results take bias, bias_col, relu, clamp, residual, mul and drelu only");
        if (count == most_stages) throw error("epilogue", "more than 8 stages", "a chain chosen at run time holds at most 8");
        stages[count++] = {kind, {values, ld, batch_stride}, low, high};
        return *this;
    }

    template <class Value>
    FADE_FN Value operator()(Value v, const epilogue::position& at) const {
        for (int i = 0; i < count; ++i) v = apply(stages[i], v, at);
        return v;
    }

private:
    static constexpr bool keeps_integers(stage_kind k) {
        using enum stage_kind;
        return k == bias || k == bias_col || k == relu || k == clamp || k == residual || k == mul || k == drelu;
    }
    template <class Value>
    FADE_FN static Value apply(const any_stage& s, Value v, const epilogue::position& at) {
        using namespace epilogue;
        switch (s.kind) {
            case stage_kind::bias: return bias_stage<T>(s.source.values)(v, at);
            case stage_kind::bias_col: return bias_col_stage<T>(s.source.values)(v, at);
            case stage_kind::relu: return relu_stage{}(v, at);
            case stage_kind::gelu: return gelu_stage{}(v, at);
            case stage_kind::gelu_tanh: return gelu_tanh_stage{}(v, at);
            case stage_kind::silu: return silu_stage{}(v, at);
            case stage_kind::sigmoid: return sigmoid_stage{}(v, at);
            case stage_kind::clamp: return clamp_stage(s.low, s.high)(v, at);
            case stage_kind::scale: return scale_stage(s.low)(v, at);
            case stage_kind::residual: return residual_stage<T>(s.source)(v, at);
            case stage_kind::mul: return mul_stage<T>(s.source)(v, at);
            case stage_kind::drelu: return drelu_stage<T>(s.source)(v, at);
            case stage_kind::dgelu: return dgelu_stage<T>(s.source)(v, at);
            case stage_kind::dsilu: return dsilu_stage<T>(s.source)(v, at);
        }
        return v;
    }
};

template <class T>
std::string name_of(const any_chain<T>& c) {
    std::string out;
    for (int i = 0; i < c.count; ++i) out += (i ? "+" : "") + std::string(name(c.stages[i].kind));
    return out.empty() ? "none" : out;
}

}  // namespace fade
