// Random attentions: what is asked, and the memory of it.
#pragma once
#include "common/numbers.hpp"
#include <algorithm>
#include <cmath>
#include <fade/attention.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

namespace fade::test {

struct attention_case {
    attention_problem problem;
    bool alibi = false, own_slopes = false, starts = false, sink = false, bias = false, scales = false,
         unscaled_q = false;  // unscaled_q: of the factors only those of k and v are given
    struct {
        bool batch = false, head = false, query = false;
    } one_bias{};  // do all batches, heads or queries have the same bias?
    std::vector<int> lengths_q{},
        lengths_k{};       // of each sequence; empty: all are as long as the problem says
    bool torn = false;     // are some numbers of the block table of no page? Then page_count is given
    bool counted = false;  // do such sequences lie at their batch strides? Else one behind the other
    index padding = 0;     // unused elements after the heads of a position
    index before_o = 0;    // elements before the first output
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const attention_case& c) {
    const attention_problem& p = c.problem;
    to << "batch " << p.batch << " heads " << p.heads << "/" << p.kv_heads << " seq " << p.seq_q << "x"
       << p.seq_k << " head_dim " << p.head_dim << "/" << p.head_dim_v << " causal " << name(p.causal)
       << " window " << p.window_left << "," << p.window_right << " scale " << p.scale << " softcap "
       << p.softcap << " dropout " << p.dropout
       << (c.alibi ? c.own_slopes ? " alibi of each sequence" : " alibi" : "") << (c.starts ? " starts" : "")
       << (c.sink ? " sink" : "") << (c.bias ? " bias" : "") << (c.one_bias.batch ? " of all batches" : "")
       << (c.one_bias.head ? " of all heads" : "") << (c.one_bias.query ? " of all queries" : "")
       << (c.scales ? c.unscaled_q ? " scales but of q" : " scales" : "") << " page " << p.page_size
       << (c.torn ? " torn" : "") << " padding " << c.padding << "/" << c.before_o << " seed " << c.seed;
    if (c.counted) to << " counted";
    for (const int n : c.lengths_q) to << " q " << n;
    for (const int n : c.lengths_k) to << " k " << n;
    return to;
}

/// Inputs and outputs with the strides of the case; outputs and the gaps of inputs begin as NaN.
template <class T, class Out = T>
struct attention_data {
    attention_problem problem;
    std::vector<T> q, k, v;
    std::vector<Out> o;
    std::vector<float> lse, slopes, sinks, bias, scales_q, scales_k, scales_v;
    std::vector<int> begin_q, begin_k, counts_q, counts_k, starts_k, table,
        pages;  // pages: those that the table would name were it whole
    std::function<double(double score, index batch, index head, index query, index key)>
        score_mod_rule;  // what a rule of one's own makes of a score
    index padding, before_o;
    attention_bias_strides bias_strides{};  // in full, where the problem's may say `packed`

    explicit attention_data(const attention_case& c)
        : problem(c.problem), padding(c.padding), before_o(c.before_o) {
        std::mt19937_64 random(c.seed);
        attention_problem& p = problem;
        if (p.head_dim_v == 0) p.head_dim_v = p.head_dim;
        if (c.counted)
            counts_q = c.lengths_q, counts_k = c.lengths_k;
        else
            begin_q = begins(c.lengths_q), begin_k = begins(c.lengths_k);
        place_pages(c, random);
        const index q_positions = begin_q.empty() ? p.batch * p.seq_q : begin_q.back();
        const index k_positions = p.page_size       ? index(table.size()) * p.page_size
                                  : begin_k.empty() ? p.batch * p.seq_k
                                                    : begin_k.back();
        q = filled(q_positions, p.heads, p.head_dim, random),
        k = filled(k_positions, p.kv_heads, p.head_dim, random),
        v = filled(k_positions, p.kv_heads, p.head_dim_v, random);
        o.resize(std::size_t(before_o + q_positions * row(p.heads, p.head_dim_v)),
                 nearest<Out>(std::nan("")));
        const index key_rows = p.page_size ? p.page_size : p.seq_k;
        p.q_strides = strides(p.seq_q, p.heads, p.head_dim),
        p.o_strides = strides(p.seq_q, p.heads, p.head_dim_v);
        p.k_strides = strides(key_rows, p.kv_heads, p.head_dim),
        p.v_strides = strides(key_rows, p.kv_heads, p.head_dim_v);
        if (!begin_q.empty()) p.q_strides.batch = p.o_strides.batch = 0;
        if (!begin_k.empty() && !p.page_size) p.k_strides.batch = p.v_strides.batch = 0;
        lse.assign(std::size_t(p.batch * p.heads * p.seq_q), std::nanf(""));
        std::normal_distribution<float> normal;
        p.alibi_stride = c.alibi && c.own_slopes ? p.heads + 1 : 0;
        for (index b = 0; b < (p.alibi_stride ? p.batch : 1) && c.alibi; ++b)
            for (index h = 0; h < (p.alibi_stride ? p.alibi_stride : p.heads); ++h)
                slopes.push_back(std::exp2(-8.0f * float(h + 1 + b) / float(p.heads)));
        if (c.starts) draw_starts(random);
        for (index h = 0; h < p.heads && c.sink; ++h) sinks.push_back(normal(random));
        if (c.bias) draw_bias(c, random);
        if (c.scales) draw_scales(random);
        if (c.unscaled_q) scales_q.clear();
    }

    attention_operands<T, Out> operands() {
        const auto or_null = [](const auto& x) { return x.empty() ? nullptr : x.data(); };
        return {.q = q.data(),
                .k = k.data(),
                .v = v.data(),
                .o = o.data() + before_o,
                .lse = lse.data(),
                .alibi = or_null(slopes),
                .bias = or_null(bias),
                .sink = or_null(sinks),
                .lengths_q = or_null(begin_q),
                .lengths_k = or_null(begin_k),
                .counts_q = or_null(counts_q),
                .counts_k = or_null(counts_k),
                .starts_k = or_null(starts_k),
                .block_table = or_null(table),
                .scales = {or_null(scales_q), or_null(scales_k), or_null(scales_v), scales_k.size() > 1}};
    }

    index queries(index b) const { return length(counts_q, begin_q, b, problem.seq_q); }
    index keys(index b) const { return length(counts_k, begin_k, b, problem.seq_k); }
    index query_at(index b, index i, index h) const {
        return query_row(b, i) * row(problem.heads, problem.head_dim) + h * problem.head_dim;
    }
    index output_at(index b, index i, index h) const {
        return before_o + query_row(b, i) * row(problem.heads, problem.head_dim_v) + h * problem.head_dim_v;
    }
    index key_at(index b, index j, index h) const {
        return key_row(b, j) * row(problem.kv_heads, problem.head_dim) + h * problem.head_dim;
    }
    index value_at(index b, index j, index h) const {
        return key_row(b, j) * row(problem.kv_heads, problem.head_dim_v) + h * problem.head_dim_v;
    }
    index bias_at(index b, index h, index i, index j) const {
        return b * bias_strides.batch + h * bias_strides.head + i * bias_strides.query + j;
    }
    /// Is a key on a page that does not exist?
    bool lacks(index b, index j) const {
        if (problem.page_count == 0) return false;
        const int page = table[std::size_t(b * problem.table_width + j / problem.page_size)];
        return page < 0 || page >= problem.page_count;
    }
    /// Is a key before the first one of its sequence?
    bool before_first(index b, index j) const { return !starts_k.empty() && j < starts_k[b]; }
    float slope(index b, index h) const { return slopes[std::size_t(b * problem.alibi_stride + h)]; }
    /// Of what kind of tensor head h is multiplied by; 1 where there is none.
    static double scale_at(const std::vector<float>& scales, index h) {
        return scales.empty() ? 1 : scales[scales.size() > 1 ? std::size_t(h) : 0];
    }

private:
    static index length(const std::vector<int>& counts, const std::vector<int>& begins, index b, index all) {
        return !counts.empty() ? counts[b] : begins.empty() ? all : begins[b + 1] - begins[b];
    }
    index query_row(index b, index i) const { return (begin_q.empty() ? b * problem.seq_q : begin_q[b]) + i; }
    index key_row(index b, index j) const {
        const index page = problem.page_size;
        return page ? pages[b * problem.table_width + j / page] * page + j % page
                    : (begin_k.empty() ? b * problem.seq_k : begin_k[b]) + j;
    }
    index row(index heads, index dim) const { return heads * dim + padding; }
    attention_strides strides(index length, index heads, index dim) const {
        return {length * row(heads, dim), row(heads, dim), dim};
    }
    /// First keys, of which some are the only one or beyond all. What lies before them is NaN.
    void draw_starts(std::mt19937_64& random) {
        for (index b = 0; b < problem.batch; ++b) {
            starts_k.push_back(int(random() % std::uint64_t(keys(b) + 2)));
            for (index j = 0; j < std::min<index>(starts_k.back(), keys(b)); ++j)
                for (index h = 0; h < problem.kv_heads; ++h) {
                    std::fill_n(k.begin() + key_at(b, j, h), problem.head_dim, nearest<T>(std::nan("")));
                    std::fill_n(v.begin() + value_at(b, j, h), problem.head_dim_v, nearest<T>(std::nan("")));
                }
        }
    }
    void draw_bias(const attention_case& c, std::mt19937_64& random) {
        attention_problem& p = problem;
        index size = p.seq_k;
        const auto axis = [&](bool one, index count) {
            const index stride = one ? 0 : size;
            if (!one) size *= count;
            return stride;
        };
        bias_strides.query = axis(c.one_bias.query, p.seq_q),
        bias_strides.head = axis(c.one_bias.head, p.heads),
        bias_strides.batch = axis(c.one_bias.batch, p.batch);
        if (c.one_bias.query || c.one_bias.head || c.one_bias.batch) p.bias_strides = bias_strides;
        std::normal_distribution<float> normal;
        for (index i = 0; i < size; ++i)
            bias.push_back(random() % 10 ? 3 * normal(random) : -std::numeric_limits<float>::infinity());
    }
    /// Factors as quantisation finds them, for the tensor or for each head.
    void draw_scales(std::mt19937_64& random) {
        std::uniform_real_distribution<float> factor(0.5f, 2.0f);
        const bool per_head = random() % 2 && problem.heads > 1 && problem.kv_heads > 1;
        for (index h = 0; h < (per_head ? problem.heads : 1); ++h) scales_q.push_back(factor(random));
        for (index h = 0; h < (per_head ? problem.kv_heads : 1); ++h)
            scales_k.push_back(factor(random)), scales_v.push_back(factor(random));
    }
    static std::vector<int> begins(const std::vector<int>& lengths) {
        if (lengths.empty()) return {};
        std::vector<int> b{0};
        for (int n : lengths) b.push_back(b.back() + n);
        return b;
    }
    void place_pages(const attention_case& c, std::mt19937_64& random) {
        if (problem.page_size == 0) return;
        problem.table_width = ceil_div(problem.seq_k, problem.page_size) + 1;
        table.resize(std::size_t(problem.batch * problem.table_width));
        std::iota(table.begin(), table.end(), 0);
        std::shuffle(table.begin(), table.end(), random);
        pages = table;
        if (!c.torn) return;
        problem.page_count = index(table.size());
        const int none[] = {-1, int(table.size()), 0x7fffffff, -0x7fffffff - 1};
        for (int& page : table)
            if (random() % 3 == 0) page = none[random() % 4];
    }
    std::vector<T> filled(index positions, index heads, index dim, std::mt19937_64& random) const {
        std::normal_distribution<double> normal;
        std::vector<T> x(std::size_t(positions * row(heads, dim)));
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = nearest<T>(index(i) % row(heads, dim) < heads * dim ? normal(random) : std::nan(""));
        return x;
    }
};

/// Elements times 2^exponent.
template <class T>
void grow(std::vector<T>& elements, int exponent) {
    for (T& x : elements) x = nearest<T>(std::ldexp(value_of(x), exponent));
}

}  // namespace fade::test
