// The matrices of a case, filled with fresh random numbers, and what must come out.
#pragma once
#include "common/gemm_case.hpp"
#include <fade/kernel/gemm/problem.hpp>
#include <memory>

namespace fade::test {

/// Source: the type of what stages read.
template <class In, class Out, class Source = Out>
struct gemm_data {
    gemm_case of;
    matrix<element_of_a<In>> a;
    matrix<element_of_b<In>> b;
    matrix<Out> c, d;
    std::vector<std::unique_ptr<matrix<Source>>> sources;  // one a stage; null where it reads nothing

    /// Sums of whole numbers that D or a stage takes for reals.
    static constexpr bool becomes_real =
        std::is_integral_v<In> && !(std::is_integral_v<Out> && std::is_integral_v<Source>);

    /// Scaled so that results are near 1. What is not read is left poisoned: C with beta = 0.
    explicit gemm_data(const gemm_case& g) : of(g), a(g.a()), b(g.b()), c(g.c()), d(g.d()) {
        std::mt19937_64 random(g.seed);
        const bool whole = std::is_integral_v<In>;
        a.fill(random, whole ? 40 : 1);
        b.fill(random, whole ? 40 : 1 / std::sqrt(double(std::max<index>(g.problem.k, 1))));
        if (g.reads_c()) c.fill(random, 1);
        for (const auto& s : g.stages) {
            sources.push_back(reads_memory(s.kind) ? std::make_unique<matrix<Source>>(g.source(s)) : nullptr);
            if (sources.back()) sources.back()->fill(random, 1);
            if (s.kind == stage_kind::drelu)  // what relu stopped is 0
                sources.back()->each([&](index batch, index i, index j) {
                    if (random() % 3 == 0) sources.back()->at(batch, i, j) = nearest<Source>(0);
                });
        }
    }

    /// Every element of D poisoned, or C's where D is C.
    void poison_output() {
        d.each([&](index i, index r, index s) { d.at(i, r, s) = poison<Out>(); });
        if (of.in_place) d.copy_from(c);
    }

    gemm_operands<In, Out> operands() {
        return {.a = a.data(),
                .b = b.data(),
                .c = of.in_place    ? d.data()
                     : of.reads_c() ? c.data()
                                    : nullptr,
                .d = d.data()};
    }

    any_chain<Source> chain() const {
        any_chain<Source> out;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const auto& s = of.stages[i];
            const auto* from = sources[i].get();
            const bool packed = of.packed_by_default;
            out.push(s.kind, from ? from->data() : nullptr, from && !packed ? from->place().ld : 0,
                     s.repeats ? 0
                     : packed  ? -1
                     : from    ? from->place().stride
                               : 0,
                     float(s.low), float(s.high));
        }
        return out;
    }

    double operand_of_stage(std::size_t i, index batch, index row, index column) const {
        const stage_kind k = of.stages[i].kind;
        if (!sources[i]) return 0;
        if (reads_columns(k)) return value_of(sources[i]->at(0, 0, column));
        if (reads_rows(k)) return value_of(sources[i]->at(0, 0, row));
        if (k == stage_kind::batch_bias) row = 0;
        return value_of(sources[i]->at(batch, row, column));
    }
};

/// op(X) of one batch as f64, `major` rows of k values: op(A) by rows, op(B) by columns.
template <class T>
std::vector<double> unpacked(const matrix<T>& from, index batch, bool k_is_row) {
    const auto& p = from.place();
    const index major = k_is_row ? p.columns : p.rows, depth = k_is_row ? p.rows : p.columns;
    std::vector<double> out(std::size_t(major * depth));
    for (index i = 0; i < major; ++i)
        for (index k = 0; k < depth; ++k)
            out[std::size_t(i * depth + k)] =
                value_of(k_is_row ? from.at(batch, k, i) : from.at(batch, i, k));
    return out;
}

#if defined(FADE_TEST_SUM_BITS_OF_8)
/// Bits of a sum of 8-bit floats in this GPU's matrix unit.
inline constexpr int sum_bits_of_8 = FADE_TEST_SUM_BITS_OF_8;
#else
inline constexpr int sum_bits_of_8 = 24;  ///< emulation adds them in f32
#endif

/// What a rounding of the accumulator loses; integers lose nothing. In f64 the reference itself is as far off
/// again.
template <class In>
inline constexpr double accumulator_unit =
    std::is_same_v<In, double>                                 ? 2 * unit_roundoff<double>
    : sizeof(element_of_a<In>) == 1 && !std::is_integral_v<In> ? 1.0 / double(1 << sum_bits_of_8)
                                                               : unit_roundoff<accumulator_t<In>>;

/// The sum of `k` products in f64, and what any order of summation may be off: k + 1 roundings of at most the
/// sum of magnitudes.
inline bounded dot(const double* a, const double* b, index k, double unit) {
    double sum = 0, magnitude = 0;
    for (index i = 0; i < k; ++i) sum += a[i] * b[i], magnitude += std::fabs(a[i] * b[i]);
    return {sum, double(k + 1) * unit * magnitude, unit};
}

/// D of a case in f64, each element with its bound, in the order of matrix::each.
template <class In, class Out, class Source>
std::vector<bounded> expected(const gemm_data<In, Out, Source>& data) {
    constexpr double unit = unit_roundoff<std::conditional_t<std::is_same_v<Out, double>, double, float>>;
    const auto& p = data.of.problem;
    std::vector<bounded> out;
    for (index batch = 0; batch < p.batch; ++batch) {
        const auto a = unpacked(data.a, batch, a_transposed(p.layout)),
                   b = unpacked(data.b, batch, !b_transposed(p.layout));
        for (index i = 0; i < p.m; ++i)
            for (index j = 0; j < p.n; ++j) {
                bounded v = dot(a.data() + i * p.k, b.data() + j * p.k, p.k, accumulator_unit<In>);
                if (data.becomes_real) v = rounded(v.value, 0, unit);
                v = times(v, data.becomes_real && unit > unit_roundoff<double> ? float(p.alpha) : p.alpha);
                if (data.of.reads_c()) v = plus(v, p.beta * value_of(data.c.at(batch, i, j)));
                for (std::size_t s = 0; s < data.sources.size(); ++s)
                    v = apply_stage(data.of.stages[s].kind, v, data.operand_of_stage(s, batch, i, j),
                                    data.of.stages[s].low, data.of.stages[s].high);
                out.push_back(stored<Out>(v));
            }
    }
    return out;
}

}  // namespace fade::test
