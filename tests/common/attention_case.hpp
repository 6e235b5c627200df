// Random attentions: what is asked, and the memory of it.
#pragma once
#include <fade/attention.hpp>
#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>
#include "common/numbers.hpp"

namespace fade::test {

struct attention_case {
    attention_problem problem;
    bool alibi = false, sink = false;
    std::vector<int> lengths_q{}, lengths_k{};   // of each sequence; empty: all are as long as the problem says
    index padding = 0;                           // unused elements after the heads of a position
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const attention_case& c) {
    const attention_problem& p = c.problem;
    to << "batch " << p.batch << " heads " << p.heads << "/" << p.kv_heads << " seq " << p.seq_q << "x" << p.seq_k << " head_dim " << p.head_dim << " causal " << name(p.causal) << " window " << p.window_left << ","
       << p.window_right << " scale " << p.scale << " softcap " << p.softcap << " dropout " << p.dropout << (c.alibi ? " alibi" : "") << (c.sink ? " sink" : "") << " page " << p.page_size << " padding " << c.padding << " seed " << c.seed;
    for (std::size_t b = 0; b < c.lengths_q.size(); ++b) to << " " << c.lengths_q[b] << "x" << c.lengths_k[b];
    return to;
}

/// Inputs and outputs with the strides of the case; outputs and the gaps of inputs begin as NaN.
template <class T, class Out = T>
struct attention_data {
    attention_problem problem;
    std::vector<T> q, k, v;
    std::vector<Out> o;
    std::vector<float> lse, slopes, sinks;
    std::vector<int> begin_q, begin_k, table;
    index padding;

    explicit attention_data(const attention_case& c) : problem(c.problem), padding(c.padding) {
        std::mt19937_64 random(c.seed);
        attention_problem& p = problem;
        begin_q = begins(c.lengths_q), begin_k = begins(c.lengths_k);
        place_pages(random);
        const index q_positions = c.lengths_q.empty() ? p.batch * p.seq_q : begin_q.back();
        const index k_positions = p.page_size ? index(table.size()) * p.page_size : c.lengths_k.empty() ? p.batch * p.seq_k : begin_k.back();
        q.resize(std::size_t(q_positions * row(p.heads))), k.resize(std::size_t(k_positions * row(p.kv_heads))), v.resize(k.size()), o.resize(q.size(), nearest<Out>(std::nan("")));
        fill(q, p.heads, random), fill(k, p.kv_heads, random), fill(v, p.kv_heads, random);
        p.q_strides = p.o_strides = {p.seq_q * row(p.heads), row(p.heads), p.head_dim};
        p.k_strides = p.v_strides = {(p.page_size ? p.page_size : p.seq_k) * row(p.kv_heads), row(p.kv_heads), p.head_dim};
        lse.assign(std::size_t(p.batch * p.heads * p.seq_q), std::nanf(""));
        std::normal_distribution<float> normal;
        for (index h = 0; h < p.heads && c.alibi; ++h) slopes.push_back(std::exp2(-8.0f * float(h + 1) / float(p.heads)));
        for (index h = 0; h < p.heads && c.sink; ++h) sinks.push_back(normal(random));
    }

    attention_operands<T, Out> operands() {
        const auto or_null = [](const auto& x) { return x.empty() ? nullptr : x.data(); };
        return {q.data(), k.data(), v.data(), o.data(), lse.data(), or_null(slopes), or_null(sinks), or_null(begin_q), or_null(begin_k), or_null(table)};
    }

    index queries(index b) const { return begin_q.empty() ? problem.seq_q : begin_q[b + 1] - begin_q[b]; }
    index keys(index b) const { return begin_k.empty() ? problem.seq_k : begin_k[b + 1] - begin_k[b]; }
    index query_at(index b, index i, index h) const { return ((begin_q.empty() ? b * problem.seq_q : begin_q[b]) + i) * row(problem.heads) + h * problem.head_dim; }
    index key_at(index b, index j, index h) const {
        const index page = problem.page_size, position = page ? table[b * problem.table_width + j / page] * page + j % page : (begin_k.empty() ? b * problem.seq_k : begin_k[b]) + j;
        return position * row(problem.kv_heads) + h * problem.head_dim;
    }

private:
    index row(index heads) const { return heads * problem.head_dim + padding; }
    static std::vector<int> begins(const std::vector<int>& lengths) {
        if (lengths.empty()) return {};
        std::vector<int> b{0};
        for (int n : lengths) b.push_back(b.back() + n);
        return b;
    }
    void place_pages(std::mt19937_64& random) {
        if (problem.page_size == 0) return;
        problem.table_width = ceil_div(problem.seq_k, problem.page_size) + 1;
        table.resize(std::size_t(problem.batch * problem.table_width));
        std::iota(table.begin(), table.end(), 0);
        std::shuffle(table.begin(), table.end(), random);
    }
    void fill(std::vector<T>& x, index heads, std::mt19937_64& random) {
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = nearest<T>(index(i) % row(heads) < heads * problem.head_dim ? normal(random) : std::nan(""));
    }
};

}  // namespace fade::test
