// One attention on an emulated architecture against a reference in f64 that shares nothing with the kernel.
#pragma once
#include <fade/gemm.hpp>
#include <fade/tune/attention/entry.hpp>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <vector>
#include "common/numbers.hpp"
#include "common/property.hpp"

namespace fade::test {

struct attention_case {
    int batch, heads, group, seq_q, seq_k, head_dim;
    bool bottom_right;
    int left, right;   // kernel::all_keys: all
    std::uint64_t seed;
};

inline std::ostream& operator<<(std::ostream& to, const attention_case& c) {
    return to << "batch " << c.batch << " heads " << c.heads << " group " << c.group << " seq_q " << c.seq_q << " seq_k " << c.seq_k << " head_dim " << c.head_dim
              << (c.bottom_right ? " bottom-right" : " top-left") << " window " << c.left << "," << c.right << " seed " << c.seed;
}

/// Inputs and outputs, all [batch, position, head, dim]; outputs begin as NaN.
template <class T>
struct attention_data {
    std::vector<T> q, k, v, o;
    std::vector<float> lse;

    explicit attention_data(const attention_case& c) : lse(std::size_t(c.batch) * c.heads * c.seq_q, std::numeric_limits<float>::quiet_NaN()) {
        std::mt19937_64 random(c.seed);
        std::normal_distribution<double> normal;
        const auto fill = [&](std::vector<T>& x, int length, int heads) {
            x.resize(std::size_t(c.batch) * length * heads * c.head_dim);
            for (T& e : x) e = nearest<T>(normal(random));
        };
        fill(q, c.seq_q, c.heads), fill(k, c.seq_k, c.heads / c.group), fill(v, c.seq_k, c.heads / c.group);
        o.assign(q.size(), nearest<T>(std::numeric_limits<double>::quiet_NaN()));
    }
};

/// Scores of one query in f64; those that it does not see are minus infinity.
template <class T>
std::vector<double> reference_scores(const attention_case& c, const attention_data<T>& x, int b, int h, int i) {
    const int last = c.bottom_right ? c.seq_k - c.seq_q : 0, kv_heads = c.heads / c.group;
    std::vector<double> s(c.seq_k);
    for (int j = 0; j < c.seq_k; ++j) {
        for (int d = 0; d < c.head_dim; ++d)
            s[j] += value_of(x.q[((std::size_t(b) * c.seq_q + i) * c.heads + h) * c.head_dim + d]) * value_of(x.k[((std::size_t(b) * c.seq_k + j) * kv_heads + h / c.group) * c.head_dim + d]);
        const long ahead = long(j) - i - last;
        s[j] = ahead <= c.right && -ahead <= c.left ? s[j] / std::sqrt(double(c.head_dim)) : -std::numeric_limits<double>::infinity();
    }
    return s;
}

struct error_sums {
    double off = 0, all = 0, lse = 0;
};

/// Adds what one query's outputs are off by.
template <class T>
void compare_query(const attention_case& c, const attention_data<T>& x, int b, int h, int i, error_sums& sums) {
    std::vector<double> s = reference_scores(c, x, b, h, i);
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (double e : s) top = std::max(top, e);
    for (double& e : s) sum += e = std::isinf(top) ? 0 : std::exp(e - top);
    const double lse = x.lse[(std::size_t(b) * c.heads + h) * c.seq_q + i];
    if (std::isinf(top)) sums.lse += lse == top ? 0 : 1;
    else sums.lse = std::max(sums.lse, std::fabs(lse - (top + std::log(sum))));
    for (int d = 0; d < c.head_dim; ++d) {
        double want = 0;
        for (int j = 0; j < c.seq_k; ++j) want += s[j] * value_of(x.v[((std::size_t(b) * c.seq_k + j) * (c.heads / c.group) + h / c.group) * c.head_dim + d]);
        if (sum > 0) want /= sum;
        const double off = value_of(x.o[((std::size_t(b) * c.seq_q + i) * c.heads + h) * c.head_dim + d]) - want;
        sums.off += off * off, sums.all += want * want;
    }
}

/// What is wrong with the kernel's answer; empty where nothing is. The bound: one rounding of the weights and one of the output.
template <class Arch, class T, int HeadClass, tune::attention_variant Variant>
std::string check_attention(const attention_case& c) {
    using entry = tune::attention_entry<T, T, HeadClass, Variant>;
    attention_data<T> x(c);
    const auto strides = [&](int length, int heads) { return kernel::sequence_strides{index(length) * heads * c.head_dim, heads * c.head_dim, c.head_dim}; };
    const auto kv = strides(c.seq_k, c.heads / c.group), qo = strides(c.seq_q, c.heads);
    typename entry::arguments args{.q = x.q.data(), .k = x.k.data(), .v = x.v.data(), .o = x.o.data(), .lse = x.lse.data(), .q_strides = qo, .k_strides = kv, .v_strides = kv, .o_strides = qo,
        .seq_q = c.seq_q, .seq_k = c.seq_k, .heads = c.heads, .group = c.group, .head_dim = c.head_dim, .output_dim = c.head_dim, .tile_queries = 0, .last = 0, .bottom_right = c.bottom_right, .left = c.left, .right = c.right,
        .scale_log2 = kernel::log2_e / std::sqrt(float(c.head_dim)), .lengths_q = nullptr, .lengths_k = nullptr, .packed_q = false, .packed_k = false, .pages = {}, .rules = {}};
    constexpr attention_policy policy = entry::template policy<Arch>;
    emulated_device<Arch> device;
    device.template launch<entry>({ceil_div(c.seq_q, policy.queries()) * policy.value_parts, c.heads, c.batch}, args);
    error_sums sums;
    for (int b = 0; b < c.batch; ++b)
        for (int h = 0; h < c.heads; ++h)
            for (int i = 0; i < c.seq_q; ++i) compare_query(c, x, b, h, i, sums);
    const double unit = sizeof(T) == 2 ? power_of_two(-1 - format_of<T>.mantissa) : power_of_two(-20);
    const double error = sums.all > 0 ? std::sqrt(sums.off / sums.all) : sums.off;
    if (!(error <= 2 * unit)) return "relative error " + std::to_string(error) + ", at most " + std::to_string(2 * unit);
    return sums.lse <= 1e-5 ? "" : "the logarithm of a sum is off by " + std::to_string(sums.lse);
}

/// Random problems of a padded head dimension; windows on the left need the general kernel.
template <class Arch, class T, int HeadClass, tune::attention_variant Variant>
void attention_suite(int times) {
    constexpr bool general = Variant == tune::attention_variant::general;
    holds(std::string(Arch::traits.name) + " attention " + tune::name(Variant) + " " + name(dtype_v<T>), times, [] {
        const int group = *rc::gen::inRange(1, 3);
        const bool causal = *rc::gen::arbitrary<bool>();
        const int align = general ? 1 : 16 / int(sizeof(T));
        const attention_case c{.batch = *rc::gen::inRange(1, 3), .heads = group * *rc::gen::inRange(1, 3), .group = group, .seq_q = *rc::gen::inRange(1, 140), .seq_k = *rc::gen::inRange(1, 200),
            .head_dim = (HeadClass / 2) + align * *rc::gen::inRange(1, HeadClass / 2 / align + 1), .bottom_right = *rc::gen::arbitrary<bool>(),
            .left = general ? *rc::gen::element(kernel::all_keys, 0, 17) : kernel::all_keys, .right = causal ? 0 : general ? *rc::gen::element(kernel::all_keys, 5, 40) : kernel::all_keys,
            .seed = *rc::gen::arbitrary<std::uint64_t>()};
        must_be_right(c, check_attention<Arch, T, HeadClass, Variant>(c));
    });
}

}  // namespace fade::test
