#include "mixture.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace fade::bench {
namespace {

/// Of equal logits the first expert comes first.
std::vector<std::size_t> in_order(const double* logits, std::size_t experts) {
    std::vector<std::size_t> out(experts);
    std::iota(out.begin(), out.end(), std::size_t(0));
    std::ranges::stable_sort(out, [&](std::size_t x, std::size_t y) { return logits[x] > logits[y]; });
    return out;
}

void choose(const product_request& r, const double* logits, expected_routes& out) {
    const std::vector<std::size_t> order = in_order(logits, std::size_t(r.groups));
    double sum = 0;
    for (int i = 0; i < r.top_k; ++i) sum += std::exp(logits[order[std::size_t(i)]] - logits[order[0]]);
    for (int i = 0; i < r.top_k; ++i) {
        const std::size_t e = order[std::size_t(i)];
        out.choices.push_back(double(e)), out.shares.push_back(std::exp(logits[e] - logits[order[0]]) / sum);
    }
}

/// Choices sorted by expert, those of one expert in the order of their tokens.
void sort_choices(const product_request& r, expected_routes& out) {
    out.slots.resize(out.choices.size());
    for (int e = 0; e < r.groups; ++e) {
        for (std::size_t i = 0; i < out.choices.size(); ++i)
            if (out.choices[i] == e)
                out.slots[i] = double(out.row_list.size()),
                out.row_list.push_back(double(i / std::size_t(r.top_k)));
        out.ends.push_back(double(out.row_list.size()));
    }
}

}  // namespace

expected_routes routes_of(const product_request& r, const product_data& data) {
    const std::vector<double> logits = numbers_of(*data.buffers().find("logits"));
    expected_routes out;
    for (index t = 0; t < r.m; ++t) choose(r, logits.data() + t * r.groups, out);
    sort_choices(r, out);
    return out;
}

std::vector<double> expected_mixture(const product_request& r, const product_data& data,
                                     const std::vector<index>& tokens) {
    const expected_routes routes = routes_of(r, data);
    std::map<index, std::vector<std::pair<std::size_t, double>>>
        experts;  // places among the tokens, and shares
    for (std::size_t i = 0; i < tokens.size(); ++i)
        for (index j = tokens[i] * r.top_k; j < (tokens[i] + 1) * r.top_k; ++j)
            experts[index(routes.choices[std::size_t(j)])].push_back({i, routes.shares[std::size_t(j)]});
    const auto width = std::size_t(r.k);
    std::vector<double> out(tokens.size() * width);
    for (const auto& [expert, members] : experts) {
        std::vector<std::vector<double>> a, inner;
        for (const auto& [i, share] : members) a.push_back(row_of_a(r, data.buffers(), tokens[i]));
        const std::vector<double> h =
            through_gate(gate_kind::swiglu, multiplied(a, r.k, r.columns_of_b(),
                                                       stored_columns(*data.buffers().find("b"), expert)));
        for (std::size_t i = 0; i < members.size(); ++i)
            inner.emplace_back(h.begin() + index(i) * r.n, h.begin() + index(i + 1) * r.n);
        const std::vector<double> made =
            multiplied(inner, r.n, r.k, stored_columns(*data.buffers().find("down"), expert));
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t j = 0; j < width; ++j)
                out[members[i].first * width + j] += members[i].second * made[i * width + j];
    }
    return out;
}

}  // namespace fade::bench
