// A chain chosen at run time: one compiled kernel serves every sequence of stages.
#pragma once
#include <fade/core/error.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/epilogue/aux.hpp>
#include <fade/epilogue/batch_bias.hpp>
#include <fade/epilogue/bias.hpp>
#include <fade/epilogue/gelu.hpp>
#include <fade/epilogue/gradient.hpp>
#include <fade/epilogue/relu.hpp>
#include <fade/epilogue/residual.hpp>
#include <fade/epilogue/row.hpp>
#include <fade/epilogue/scale.hpp>
#include <fade/epilogue/scales.hpp>
#include <fade/epilogue/silu.hpp>
#include <span>

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
    dsilu,
    scale_rows,
    scale_columns,
    batch_bias,
    aux,
    amax,
    swiglu,  ///< gates, from here on: they stand in an any_gated_chain
    geglu,
    geglu_tanh
};

/// Does it make one column of D of two of the product?
constexpr bool is_gate(stage_kind k) { return k >= stage_kind::swiglu; }

constexpr const char* name(stage_kind k) {
    constexpr const char* names[] = {
        "bias",       "bias_col", "relu", "gelu",   "gelu_tanh", "silu",      "sigmoid",    "clamp",
        "scale",      "residual", "mul",  "drelu",  "dgelu",     "dsilu",     "scale_rows", "scale_columns",
        "batch_bias", "aux",      "amax", "swiglu", "geglu",     "geglu_tanh"};
    return names[int(k)];
}

/// Up to eight stages over memory of type T. On GPUs slower than a compile-time chain by a branch a stage and
/// element; the host branches once a row.
template <class T>
struct any_chain : epilogue::stage {
    static constexpr const char* name = "any_chain";
    static constexpr bool floating = floating_element<T>;
    static constexpr int max_stages = 8;
    using number = epilogue::number_of<T>;
    struct any_stage {
        stage_kind kind;
        epilogue::matrix_source<T> source;
        number low, high;
    };
    any_stage stages[max_stages] = {};
    int count = 0;

    /// A stage of memory takes `values` (and `ld`, `batch_stride` for matrices, `batch_stride` for
    /// batch_bias), scale its factor and clamp its limits in low and high, f64 where T is and else f32. aux
    /// writes to `values`: give it memory that may be written.
    any_chain& push(stage_kind kind, const T* values = nullptr, index ld = 0, index batch_stride = -1,
                    double low = 0, double high = 0) {
        return push_source(kind, {values, ld, batch_stride}, low, high);
    }
    /// The same with memory that knows its length.
    template <epilogue::sized_memory C>
    any_chain& push(stage_kind kind, C&& values, index ld = 0, index batch_stride = -1) {
        return push_source(kind, epilogue::source_from(std::forward<C>(values), ld, batch_stride), 0, 0);
    }

    FADE_FN bool empty() const { return count == 0; }

    void bind(const epilogue::output_shape& d) {
        for (int i = 0; i < count; ++i) bind_stage(stages[i], d);
    }

    template <class Value>
    FADE_FN Value operator()(Value v, const epilogue::position& at) const {
        for (int i = 0; i < count; ++i) {
            const epilogue::position place = place_of(stages[i], at);
            with_stage<Value>(stages[i], [&](const auto& one) { v = one(v, place); });
        }
        return v;
    }
    template <class Value>
    void on_row(Value* row, int columns, const epilogue::position& at) const {
        for (const any_stage& s : std::span(stages, std::size_t(count))) stage_on_row(s, row, columns, at);
    }
    /// On the host, as epilogue::apply_to_rows() has it.
    template <class Value>
    void on_rows(Value* values, int rows, int columns, const epilogue::position& at) const {
        for (const any_stage& s : std::span(stages, std::size_t(count)))
            if (is_of_value_alone(s.kind))
                stage_on_row(s, values, rows * columns, at);
            else
                for (int r = 0; r < rows; ++r)
                    stage_on_row(s, values + r * columns, columns,
                                 {at.row + r, at.column, at.batch, at.inside});
    }

    /// fade::amax(largest): a stage whose memory is f32 whatever T is.
    any_chain& push_amax(float* largest) {
        return push_source(stage_kind::amax, {reinterpret_cast<const T*>(largest)}, 0, 0);
    }

private:
    any_chain& push_source(stage_kind kind, const epilogue::matrix_source<T>& source, double low,
                           double high) {
        if (std::is_integral_v<T> && !keeps_integers(kind))
            throw error("epilogue", fade::name(kind),
                        "a chain of integers takes no gelu, silu or sigmoid, no gradient of them, no scale "
                        "and no amax");
        if (is_gate(kind))
            throw error("epilogue", fade::name(kind),
                        "a gate chosen at run time stands between two chains: give it to any_gated_chain()");
        if (count == max_stages)
            throw error("epilogue", "more than 8 stages", "a chain chosen at run time holds at most 8");
        if constexpr (std::is_integral_v<T>)
            if (kind == stage_kind::clamp) check_limit(low), check_limit(high);
        stages[count++] = {kind, source, number(low), number(high)};
        return *this;
    }
    static void check_limit(double limit) {
        if (convert<T>(limit) != convert<T>(float(limit)))
            throw error("clamp", std::to_string(limit),
                        "limits of whole numbers are f32, which does not hold it");
    }
    static void bind_stage(any_stage& s, const epilogue::output_shape& d) {
        using namespace epilogue;
        using enum stage_kind;
        const T* values = s.source.values;
        const index count = s.source.count;
        if (s.kind == bias) bias_stage<T>(values, count).bind(d);
        if (s.kind == bias_col) bias_col_stage<T>(values, count).bind(d);
        if (s.kind == scale_rows) scale_rows_stage<T>(values, count).bind(d);
        if (s.kind == scale_columns) scale_columns_stage<T>(values, count).bind(d);
        if (s.kind == batch_bias) {
            batch_bias_stage<T> one(values, s.source.batch_stride, count);
            one.bind(d), s.source.batch_stride = one.stride;
        }
        if (s.kind == amax) amax_of(s).bind(d);
        if (is_matrix(s.kind)) s.source.bind(fade::name(s.kind), d);
    }

    template <class Value>
    static void stage_on_row(const any_stage& s, Value* row, int columns, const epilogue::position& at) {
        using namespace epilogue;
        if (s.kind == stage_kind::bias_col)
            apply_to_row(bias_col_stage<T>(s.source.values), row, columns, at);
        else if (s.kind == stage_kind::scale_rows)
            apply_to_row(scale_rows_stage<T>(s.source.values), row, columns, at);
        else
            with_stage<Value>(s, [&](const auto& one) { apply_to_row(one, row, columns, place_of(s, at)); });
    }
    static constexpr bool is_of_value_alone(stage_kind k) {
        return k >= stage_kind::relu && k <= stage_kind::scale;
    }
    /// Kinds that read or write an element of memory for each of D's.
    static constexpr bool is_matrix(stage_kind k) {
        using enum stage_kind;
        return (k >= residual && k <= dsilu) || k == aux;
    }
    static constexpr bool keeps_integers(stage_kind k) {
        using enum stage_kind;
        return k != gelu && k != gelu_tanh && k != silu && k != sigmoid && k != scale && k != dgelu &&
               k != dsilu && k != amax;
    }
    FADE_FN static epilogue::amax_stage amax_of(const any_stage& s) {
        return epilogue::amax_stage(reinterpret_cast<float*>(const_cast<T*>(s.source.values)));
    }
    /// The element of a stage's memory, as a column of one long row: vectors go the way of matrices, and the
    /// place is found before the stage. With a case a kind, kernels became so large that compilers kept
    /// results in scratch memory (gfx1100).
    FADE_FN static epilogue::position place_of(const any_stage& s, const epilogue::position& at) {
        using enum stage_kind;
        index place = at.column;
        if (s.kind == bias_col || s.kind == scale_rows)
            place = at.row;
        else if (s.kind == batch_bias)
            place += at.batch * s.source.batch_stride;
        else if (is_matrix(s.kind))
            place = s.source.offset(at);
        return {0, place, 0, at.inside};
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
            return f(clamp_stage_of<number>(s.low, s.high));
        case stage_kind::scale:
            return real<Value>(scale_stage_of<number>(s.low), f);
        case stage_kind::bias:
        case stage_kind::bias_col:
        case stage_kind::batch_bias:
        case stage_kind::residual:
            return f(residual_stage<T>(s.source));
        case stage_kind::scale_rows:
        case stage_kind::scale_columns:
        case stage_kind::mul:
            return f(mul_stage<T>(s.source));
        case stage_kind::drelu:
            return f(drelu_stage<T>(s.source));
        case stage_kind::dgelu:
            return real<Value>(dgelu_stage<T>(s.source), f);
        case stage_kind::dsilu:
            return real<Value>(dsilu_stage<T>(s.source), f);
        case stage_kind::aux:
            return f(aux_stage<T>(s.source));
        case stage_kind::amax:
            return real<Value>(amax_of(s), f);
        default:
            return;  // gates, which push refuses
        }
    }
};

template <class T>
inline constexpr bool epilogue::chosen_at_run_time<any_chain<T>> = true;
template <class T>
inline constexpr bool epilogue::is_long<any_chain<T>> = true;

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
