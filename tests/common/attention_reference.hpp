// Attention in f64, one query at a time, sharing nothing with the kernels.
#pragma once
#include "common/attention_case.hpp"
#include "common/dropout_reference.hpp"

namespace fade::test {

/// Where query i of a sequence stands among its keys.
template <class Data>
index own_position(const Data& x, index b, index i) {
    return x.problem.causal == causal_kind::top_left ? i : i + x.keys(b) - x.queries(b);
}

template <class Data>
bool is_visible(const Data& x, index b, index i, index j) {
    const attention_problem& p = x.problem;
    const index ahead = j - own_position(x, b, i), right = p.causal == causal_kind::none ? p.window_right : 0;
    return !x.lacks(b, j) && !x.before_first(b, j) && (right < 0 || ahead <= right) &&
           (p.window_left < 0 || -ahead <= p.window_left);
}

/// Scores of one query, of which those that it does not see are minus infinity, and the sums of the sizes of
/// what they add.
struct reference_scores {
    std::vector<double> score, size;
};

template <class Data>
reference_scores scores_of(const Data& x, index b, index h, index i) {
    const attention_problem& p = x.problem;
    const index group = p.heads / p.kv_heads;
    const double factor = (p.scale != 0 ? p.scale : 1 / std::sqrt(double(p.head_dim))) *
                          x.scale_at(x.scales_q, h) * x.scale_at(x.scales_k, h / group);
    reference_scores s{std::vector<double>(std::size_t(x.keys(b))),
                       std::vector<double>(std::size_t(x.keys(b)))};
    const index query = x.query_at(b, i, h);
    for (index j = 0; j < x.keys(b); ++j) {
        double &e = s.score[std::size_t(j)], &size = s.size[std::size_t(j)];
        const index key = x.key_at(b, j, h / group);
        for (index d = 0; d < p.head_dim; ++d) {
            const double product =
                value_of(x.q[std::size_t(query + d)]) * value_of(x.k[std::size_t(key + d)]);
            e += product, size += std::fabs(product);
        }
        e *= factor, size *= std::fabs(factor);
        if (p.softcap > 0) e = p.softcap * std::tanh(e / p.softcap);
        if (!x.slopes.empty()) e -= double(x.slope(b, h)) * std::fabs(double(j - own_position(x, b, i)));
        if (!x.bias.empty()) e += double(x.bias[std::size_t(x.bias_at(b, h, i, j))]);
        if (x.score_mod_rule) e = x.score_mod_rule(e, b, h, i, j);
        if (!is_visible(x, b, i, j)) e = -std::numeric_limits<double>::infinity();
    }
    return s;
}

struct reference_query {
    std::vector<double> weights;  // normalised and dropped
    std::vector<double> sizes;    // of their exponents
    double lse;
};

template <class Data>
reference_query reference_weights(const Data& x, index b, index h, index i) {
    const attention_problem& p = x.problem;
    auto [s, sizes] = scores_of(x, b, h, i);
    double top = x.sinks.empty() ? -std::numeric_limits<double>::infinity() : double(x.sinks[std::size_t(h)]),
           sum = 0;
    for (double e : s) top = std::max(top, e);
    if (!x.sinks.empty()) sum = std::exp(double(x.sinks[std::size_t(h)]) - top);
    for (double& e : s) sum += e = std::isinf(top) ? 0 : std::exp(e - top);
    for (index j = 0; j < x.keys(b); ++j) {
        double& e = s[std::size_t(j)];
        e = sum > 0 ? e / sum : 0;
        if (p.dropout > 0)
            e = random_of(p.seed, p.offset,
                          {std::uint64_t(b), std::uint64_t(p.heads), std::uint64_t(h), std::uint64_t(i),
                           std::uint64_t(j)}) < std::floor(p.dropout * 4294967296.0)
                    ? 0
                    : e / (1 - p.dropout);
    }
    return {s, sizes, sum > 0 ? top + std::log(sum) : -std::numeric_limits<double>::infinity()};
}

struct error_sums {
    double off = 0, all = 0, terms = 0, exponents = 0, values = 0, lse = 0;
    index outputs = 0;
};

/// Adds what one query's outputs are off by.
template <class Data>
void compare_query(const Data& x, index b, index h, index i, error_sums& sums) {
    const attention_problem& p = x.problem;
    const reference_query r = reference_weights(x, b, h, i);
    const double lse = x.lse[std::size_t((b * p.heads + h) * p.seq_q + i)];
    sums.lse =
        std::max(sums.lse, std::isinf(r.lse) ? (lse == r.lse ? 0.0 : 1.0)
                           : std::isnan(lse) ? 1.0
                                             : std::fabs(lse - r.lse) / std::max(1.0, std::fabs(r.lse)));
    const index kv_head = h * p.kv_heads / p.heads, keys = x.keys(b);
    const double scale = x.scale_at(x.scales_v, kv_head);
    // Of each key, what is the same for all dimensions.
    std::vector<double> exponents(r.weights.size());
    std::vector<index> values(r.weights.size());
    for (index j = 0; j < keys; ++j) {
        exponents[std::size_t(j)] = std::fabs(std::log(r.weights[std::size_t(j)])) + r.sizes[std::size_t(j)];
        if (!x.before_first(b, j)) values[std::size_t(j)] = x.value_at(b, j, kv_head);
    }
    for (index d = 0; d < p.head_dim_v; ++d) {
        double want = 0;
        for (index j = 0; j < keys; ++j) {
            if (x.before_first(b, j)) continue;
            const double weight = r.weights[std::size_t(j)],
                         value = scale * value_of(x.v[std::size_t(values[std::size_t(j)] + d)]);
            const double term = weight * value, exponent = term == 0 ? 0 : exponents[std::size_t(j)];
            want += term, sums.terms += term * term, sums.exponents += term * term * exponent * exponent;
            if (weight != 0) sums.values += value * value;
        }
        const double off = value_of(x.o[std::size_t(x.output_at(b, i, h) + d)]) - want;
        sums.off += off * off, sums.all += want * want, ++sums.outputs;
    }
}

/// What is wrong with outputs; empty where nothing is. Half a unit of the weights' type and half of the
/// output's are what is lost at most.
template <class T, class Out>
std::string wrong_with(const attention_data<T, Out>& x) {
    error_sums sums;
    for (index b = 0; b < x.problem.batch; ++b)
        for (index h = 0; h < x.problem.heads; ++h)
            for (index i = 0; i < x.queries(b); ++i) compare_query(x, b, h, i, sums);
    constexpr int weights = sizeof(T) == 1 ? format_of<f16>.mantissa
                                           : format_of<T>.mantissa;  // 8-bit inputs are multiplied as f16
    const double unit =
        power_of_two(std::max(-18, -1 - weights)) + power_of_two(std::max(-20, -1 - format_of<Out>.mantissa));
    // What rounding loses is relative to the terms of an output. Of many outputs both norms agree; a few may
    // be what little cancellation leaves, or may all be unlucky.
    const double rounded = unit * (1 + 2 / std::sqrt(std::max(1.0, double(sums.outputs)))) *
                           std::sqrt(std::max(sums.all, sums.terms));
    // A weight is off by what its exponent is, an f32 that such products were added to: much where few keys
    // or a sink have nearly all the weight.
    const double bent = power_of_two(-22) * std::sqrt(sums.exponents);
    // f16 has steps of 2^-24 below 2^-14: weights beside a much larger one, and outputs of them.
    const bool coarse = sizeof(T) == 1 || std::is_same_v<T, f16> || std::is_same_v<Out, f16>;
    const double stepped = coarse ? power_of_two(-25) * std::sqrt(sums.values + double(sums.outputs)) : 0;
    const double error = std::sqrt(sums.off), max = rounded + bent + stepped;
    if (!(error <= max)) return "an error of " + std::to_string(error / max) + " times what is lost at most";
    return sums.lse <= 2e-5 ? "" : "the logarithm of a sum is off by " + std::to_string(sums.lse);
}

}  // namespace fade::test
