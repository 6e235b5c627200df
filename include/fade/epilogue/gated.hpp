// Gated units (Shazeer, 2020): column j of D is f(gate) * up, of which columns 2j and 2j + 1 of the product
// are the gate and what it lets through.
#pragma once
#include <fade/epilogue/gelu.hpp>
#include <fade/epilogue/silu.hpp>
#include <string>

namespace FADE_NAMESPACE {
namespace epilogue {

/// By an activation, a stage that needs no memory.
template <class Activation>
struct gated_stage : gate {
    static constexpr const char* name = std::is_same_v<Activation, silu_stage>        ? "swiglu"
                                        : std::is_same_v<Activation, gelu_tanh_stage> ? "geglu_tanh"
                                                                                      : "geglu";
    static constexpr bool floating = true;
    template <class Value>
    FADE_FN Value operator()(Value left, Value right, const position& at) const {
        return Activation{}(left, at) * right;
    }
    /// Gates side by side, so that the activation makes vectors of them.
    static void on_row(float* row, int columns, const position& at) {
        constexpr int run = 64;
        alignas(64) float gates[run], ups[run];
        for (int first = 0; first < columns / 2; first += run) {
            const int count = columns / 2 - first < run ? columns / 2 - first : run;
            for (int i = 0; i < run; ++i) {
                const int from = 2 * (first + (i < count ? i : count - 1));
                gates[i] = row[from], ups[i] = row[from + 1];
            }
            Activation::on_row(gates, count, at);
            for (int i = 0; i < count; ++i) row[first + i] = gates[i] * ups[i];
        }
    }
    void bind(const output_shape& d) const {
        if (d.columns % 2 != 0)
            throw error("n", std::to_string(d.columns),
                        std::string(name) +
                            " makes one column of D of two neighbours of the product, a gate and what it "
                            "lets through, so n must be even");
    }
};

using swiglu_stage = gated_stage<silu_stage>;
using geglu_stage = gated_stage<gelu_stage>;
using geglu_tanh_stage = gated_stage<gelu_tanh_stage>;

}  // namespace epilogue

/// D has n / 2 columns: D[i, j] = silu(x[i, 2j]) * x[i, 2j + 1]. Even columns of op(B) are the gate's, odd
/// ones those that it lets through. Stages before it see n columns, stages behind it n / 2. beta must be 0.
/// An odd n is an error.
inline epilogue::swiglu_stage swiglu() { return {}; }
/// The same by gelu.
inline epilogue::geglu_stage geglu() { return {}; }
/// The same by gelu_tanh.
inline epilogue::geglu_tanh_stage geglu_tanh() { return {}; }

}  // namespace FADE_NAMESPACE
