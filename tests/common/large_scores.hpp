// Attentions whose scores reach the end of f32. Inputs are small integers, whose products are exact, so that
// nothing but the softmax can be wrong: the larger logit wins, and equal ones share.
#pragma once
#include "common/attention_reference.hpp"

namespace fade::test {

/// How scores lie along the keys: anyhow; small ones before others; far below zero before those at zero.
enum class course { mixed, late, near_at_last };

/// Products lie between -32 and 32, but for few. What biases and sinks add is less than the roundings of a
/// large score, or hides a key, or is all that counts.
template <class T>
void make_exact(attention_data<T, float>& x, course scores, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const attention_problem& p = x.problem;
    const auto draw = [&] { return double(int(random() % 3) - 1); };
    for (T& e : x.q) e = nearest<T>(scores == course::near_at_last ? 1 : draw());
    for (index j = 0; j < p.seq_k; ++j)
        for (index h = 0; h < p.kv_heads; ++h)
            for (index d = 0; d < p.head_dim; ++d) {
                const bool early = j < p.seq_k / 2;
                const double e = scores == course::mixed  ? draw()
                                 : scores == course::late ? (early ? 0 : draw())
                                 : early                  ? -1 - double(j % 2 && d == 0)
                                                          : 0;
                x.k[std::size_t(x.key_at(0, j, h) + d)] = nearest<T>(e);
            }
    const float sinks[] = {0, 1e6f, 1e38f, -std::numeric_limits<float>::infinity()};
    for (float& b : x.bias) b = b < -3 ? -std::numeric_limits<float>::infinity() : 0;
    for (float& s : x.sinks) s = sinks[random() % 4];
}

/// Scores that deviate by about 1, but for a few keys anywhere: of query i they add up to i / seq_q times as
/// much, up to 420 in powers of two, so that queries of one tile jump by every amount. `p.scale` is 1 / 2.
template <class T>
void make_jumps(attention_data<T, float>& x, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const attention_problem& p = x.problem;
    const double spread = std::sqrt(2 / std::sqrt(double(p.head_dim)));
    for (T& e : x.q) e = nearest<T>(normal(random) * spread);
    for (T& e : x.k) e = nearest<T>(normal(random) * spread);
    for (index i = 0; i < p.seq_q; ++i)
        for (index h = 0; h < p.heads; ++h)
            x.q[std::size_t((i * p.heads + h) * p.head_dim)] = nearest<T>(32 * double(i) / double(p.seq_q));
    for (index h = 0; h < p.kv_heads; ++h) {
        for (index j = 0; j < p.seq_k; ++j) x.k[std::size_t(x.key_at(0, j, h))] = nearest<T>(0);
        for (const double height : {1.0, 4.0, 18.0})
            x.k[std::size_t(x.key_at(0, index(random() % std::uint64_t(p.seq_k)), h))] = nearest<T>(height);
    }
}

/// What is wrong with a case of one batch whose inputs `make(data)` makes; empty where nothing is. Logarithms
/// are off by `most_off` at most.
template <class T, class Device, class Make>
std::string wrong_with_scores(Device& device, const attention_case& c, int splits, double most_off,
                              Make make) {
    attention_data<T, float> x(c);
    make(x);
    attention<T, float>(device, x.problem, x.operands(), {.split_kv = splits});
    error_sums sums;
    for (index h = 0; h < x.problem.heads; ++h)
        for (index i = 0; i < x.problem.seq_q; ++i) compare_query(x, 0, h, i, sums);
    const double error = std::sqrt(sums.off / std::max(sums.all, 1.0));
    return !(error < 5e-3)       ? "an error of " + std::to_string(error)
           : sums.lse > most_off ? "logarithms are off by " + std::to_string(sums.lse)
                                 : "";
}
template <class T, class Device>
std::string wrong_with_large_scores(Device& device, const attention_case& c, course scores, int splits) {
    return wrong_with_scores<T>(device, c, splits, 1e-6, [&](auto& x) { make_exact(x, scores, c.seed); });
}
template <class T, class Device>
std::string wrong_with_jumps(Device& device, const attention_case& c) {
    constexpr int splits = std::is_same_v<Device, host_device> ? 0 : 1;
    return wrong_with_scores<T>(device, c, splits, 1e-5, [&](auto& x) { make_jumps(x, c.seed); });
}

/// Scores that deviate by p.scale times sqrt(head_dim) in units of the exponent of e, and means that no first
/// tile tells: none; one key late, or the last, with scores 60 times as large; growing along the keys, by 64
/// or 2048; a first key 20 above all; all keys one.
enum class spread { normal, outlier, last, growing, steep, sink, equal };
inline const std::vector<spread> spreads{spread::normal, spread::outlier, spread::last, spread::growing,
                                         spread::steep,  spread::sink,    spread::equal};
inline const char* name(spread s) {
    constexpr const char* names[] = {"normal", "outlier", "last", "growing", "steep", "sink", "equal"};
    return names[int(s)];
}

template <class T>
void make_spread(attention_data<T, float>& x, spread s, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const attention_problem& p = x.problem;
    for (T& e : x.q) e = nearest<T>(normal(random));
    for (T& e : x.k) e = nearest<T>(normal(random));
    const auto change = [&](index j, auto f) {
        for (index h = 0; h < p.kv_heads; ++h)
            for (index d = 0; d < p.head_dim; ++d) {
                T& e = x.k[std::size_t(x.key_at(0, j, h) + d)];
                e = nearest<T>(f(value_of(e), h, d));
            }
    };
    if (s == spread::outlier || s == spread::last)
        change(s == spread::last ? p.seq_k - 1 : p.seq_k * 3 / 4,
               [](double e, index, index) { return 60 * e; });
    if (s == spread::equal)
        for (index j = 1; j < p.seq_k; ++j)
            change(j, [&](double, index h, index d) {
                return value_of(x.k[std::size_t(x.key_at(0, 0, h) + d)]);
            });
    const double grows = s == spread::growing ? 64
                         : s == spread::steep ? 2048
                                              : 0,
                 first = s == spread::sink ? 20 : 0;
    if (grows + first == 0) return;
    // Queries share their first element, along which keys add to scores.
    for (std::size_t i = 0; i < x.q.size(); i += std::size_t(p.head_dim)) x.q[i] = nearest<T>(4);
    for (index j = 0; j < p.seq_k; ++j)
        change(j, [&](double e, index, index d) {
            const double mean = j == 0 && first > 0 ? first : grows * double(j) / double(p.seq_k);
            return d > 0 ? e : mean / 4 / p.scale;
        });
}

/// Compares with all keys equal how much shared memory is read and written, since a walk that begins again
/// does so twice.
template <class T, class Device>
std::string wrong_with_spread(const attention_case& c, spread s) {
    const auto made = [&](Device& device, spread one) {
        return wrong_with_scores<T>(device, c, 1, 1e-4, [&](auto& x) { make_spread(x, one, c.seed); });
    };
    Device device({.count_bank_conflicts = true}), plain({.count_bank_conflicts = true});
    std::string wrong = made(device, s);
    if (wrong.empty()) wrong = made(plain, spread::equal);
    const auto n = device.monitor().shared_accesses(), least = plain.monitor().shared_accesses();
    return !wrong.empty() || n == least
               ? wrong
               : std::to_string(n) + " accesses of shared memory, where equal keys take " +
                     std::to_string(least);
}

/// Are results of the first queries, whose scores jump by little, the same bits where others jump and where
/// not?
template <class T, class Device>
std::string wrong_beside_others(Device& device, const attention_case& c) {
    attention_data<T, float> x(c);
    make_jumps(x, c.seed);
    attention_data<T, float> alone = x;
    const attention_problem& p = x.problem;
    const index few = p.seq_q / 32;
    for (index i = few; i < p.seq_q; ++i)
        for (index d = 0; d < p.heads * p.head_dim; ++d)
            alone.q[std::size_t(i * p.heads * p.head_dim + d)] = nearest<T>(0);
    for (attention_data<T, float>* data : {&x, &alone})
        attention<T, float>(device, data->problem, data->operands(), {.split_kv = 1});
    for (index i = 0; i < few; ++i)
        for (index h = 0; h < p.heads; ++h)
            for (index d = 0; d < p.head_dim_v; ++d) {
                const auto at = std::size_t(x.output_at(0, i, h) + d);
                if (!(x.o[at] == alone.o[at]))
                    return "query " + std::to_string(i) + " gives " + std::to_string(x.o[at]) + ", and " +
                           std::to_string(alone.o[at]) + " where queries beside it are zeros";
            }
    return "";
}

}  // namespace fade::test
