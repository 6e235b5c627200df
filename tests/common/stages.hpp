// The stages of an epilogue as the tests know them: written down from their definitions, in f64, with a bound
// on FADE's error.
#pragma once
#include "common/bounded.hpp"
#include <algorithm>
#include <fade/epilogue/any_chain.hpp>

namespace fade::test {

/// All kinds that make one value of one; behind them stand those that write, and gates.
inline constexpr int stage_kinds = int(stage_kind::aux);

inline bool reads_columns(stage_kind k) { return k == stage_kind::bias || k == stage_kind::scale_columns; }
inline bool reads_rows(stage_kind k) { return k == stage_kind::bias_col || k == stage_kind::scale_rows; }
inline bool reads_matrix(stage_kind k) { return k >= stage_kind::residual && k <= stage_kind::dsilu; }
inline bool reads_memory(stage_kind k) {
    return reads_columns(k) || reads_rows(k) || reads_matrix(k) || k == stage_kind::batch_bias;
}

/// Where a stage reads for an element, of matrices `ld` from row to row; `stride` from batch to batch.
inline index place_of(stage_kind k, const epilogue::position& at, index ld, index stride) {
    if (reads_columns(k)) return at.column;
    if (reads_rows(k)) return at.row;
    return at.batch * stride + (k == stage_kind::batch_bias ? 0 : at.row * ld) + at.column;
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::acos(-1.0)); }
inline double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
inline double gelu_tanh_of(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

/// The stages that keep NaN and need no memory.
inline bounded apply_function(stage_kind k, bounded v, double low, double high) {
    switch (k) {
    case stage_kind::relu:
        return {v.value < 0 ? 0 : v.value, v.error, v.unit};
    case stage_kind::gelu:
        return through(v, 1.13, [](double x) { return x * normal_cdf(x); });
    case stage_kind::gelu_tanh:
        return through(v, 1.13, gelu_tanh_of);
    case stage_kind::silu:
        return through(v, 1.1, [](double x) { return x * sigmoid_of(x); });
    case stage_kind::sigmoid:
        return through(v, 0.25, sigmoid_of);
    case stage_kind::clamp:
        if (v.unit == 0) low = std::nearbyint(low), high = std::nearbyint(high);  // of whole numbers
        return {std::isnan(v.value) ? v.value : std::clamp(v.value, low, high), v.error, v.unit};
    default:
        return times(v, low);  // scale
    }
}

/// The derivative of an activation at x, off by at most 1e-6 (1 + |x|).
inline bounded gradient(stage_kind k, double x) {
    const double s = sigmoid_of(x), off = 1e-6 * (1 + std::fabs(x));
    if (k == stage_kind::drelu) return {x > 0 ? 1.0 : 0.0, 0};
    if (k == stage_kind::dgelu) return {normal_cdf(x) + x * normal_density(x), off};
    return {s * (1 + x * (1 - s)), off};
}

/// One stage; `operand` is what it reads from memory, if it does.
inline bounded apply_stage(stage_kind k, bounded v, double operand, double low, double high) {
    using enum stage_kind;
    if (k == bias || k == bias_col || k == batch_bias || k == residual) return plus(v, operand);
    if (k == scale_rows || k == scale_columns || k == mul) return times(v, operand);
    if (!reads_matrix(k)) return apply_function(k, v, low, high);
    const bounded slope = gradient(k, operand);
    return rounded(v.value * slope.value, v.error * std::fabs(slope.value) + std::fabs(v.value) * slope.error,
                   v.unit);
}

}  // namespace fade::test
