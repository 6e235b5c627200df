// Routing, dispatch and combination of some tokens, and what is wrong with them: against plain loops.
#pragma once
#include "common/gemm_check.hpp"
#include <algorithm>
#include <fade/moe.hpp>
#include <numeric>

namespace fade::test {

struct moe_case {
    index tokens, columns;
    int experts, top_k;
    bool drops, unweighted;
    double shift;  ///< of all logits
    moe_route_problem route;
    index pad;
    std::uint64_t seed;
};

inline std::ostream& operator<<(std::ostream& to, const moe_case& c) {
    return to << c.tokens << " tokens, top " << c.top_k << " of " << c.experts << ", " << c.columns
              << " columns, " << name(c.route.scoring) << (c.route.renormalize ? ", renormalized" : "")
              << (c.drops ? ", some dropped" : "") << (c.unweighted ? ", without weights" : "")
              << ", logits around " << c.shift << ", pad " << c.pad << ", seed " << c.seed;
}

/// Experts of a token and their weights, in double precision.
template <class T>
std::string wrong_route(const moe_case& c, const std::vector<T>& logits, const std::vector<int>& choices,
                        const std::vector<float>& weights) {
    double off = 0, norm = 0;
    for (index t = 0; t < c.tokens; ++t) {
        const T* row = logits.data() + t * (c.experts + c.pad);
        const auto at = [&](int e) { return value_of(row[e]); };
        std::vector<int> order(static_cast<std::size_t>(c.experts));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(a) > at(b); });
        double all = 0, chosen = 0;
        const auto score = [&](int e) {
            return c.route.scoring == moe_scoring::softmax ? std::exp(at(e) - at(order[0]))
                                                           : 1 / (1 + std::exp(-at(e)));
        };
        for (int e = 0; e < c.experts; ++e) all += score(e);
        for (int i = 0; i < c.top_k; ++i) chosen += score(order[std::size_t(i)]);
        const double by = c.route.renormalize ? chosen : c.route.scoring == moe_scoring::softmax ? all : 1;
        for (int i = 0; i < c.top_k; ++i) {
            const std::size_t place = std::size_t(t * c.top_k + i);
            if (choices[place] != order[std::size_t(i)])
                return "token " + std::to_string(t) + " chose another expert";
            const double want = score(order[std::size_t(i)]) / by * c.route.weight_scale;
            off += std::pow(weights[place] - want, 2), norm += want * want;
        }
    }
    return off <= 1e-10 * norm ? "" : "weights are off by " + std::to_string(std::sqrt(off / norm));
}

/// Tables by a stable sort of this CPU's.
inline std::string wrong_tables(const moe_case& c, const std::vector<int>& choices,
                                const std::vector<int>& ends, const std::vector<int>& rows,
                                const std::vector<int>& slots) {
    std::vector<int> order;
    const auto exists = [&](std::size_t i) { return choices[i] >= 0 && choices[i] < c.experts; };
    for (std::size_t i = 0; i < choices.size(); ++i)
        if (exists(i))
            order.push_back(int(i));
        else if (slots[i] != -1)
            return "a choice that was dropped has a slot";
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return choices[std::size_t(a)] < choices[std::size_t(b)]; });
    for (int e = 0, end = 0; e < c.experts; ++e) {
        while (end < int(order.size()) && choices[std::size_t(order[std::size_t(end)])] == e) ++end;
        if (ends[std::size_t(e)] != end) return "expert " + std::to_string(e) + " ends elsewhere";
    }
    for (std::size_t r = 0; r < order.size(); ++r)
        if (rows[r] != order[r] / c.top_k || slots[std::size_t(order[r])] != int(r))
            return "row " + std::to_string(r) + " is another token's";
    for (std::size_t r = order.size(); r < rows.size(); ++r)
        if (rows[r] != poison<int>()) return "a row behind the last end was written";
    return "";
}

template <class Arch, class T>
std::string moe_trial(const moe_case& c) {
    std::mt19937_64 random(c.seed);
    auto device = device_of<Arch>(2, 64);
    const std::size_t count = std::size_t(c.tokens * c.top_k);
    std::vector<T> logits(std::size_t(c.tokens * (c.experts + c.pad)));
    std::normal_distribution<double> normal(c.shift, 2);
    for (T& v : logits) v = nearest<T>(normal(random));
    std::vector<int> choices(count), ends(std::size_t(c.experts)), rows(count, poison<int>()), slots(count);
    std::vector<float> weights(count);
    auto route = c.route;
    route.logits_stride = c.experts + c.pad;
    moe_route(device, route, logits.data(), choices.data(), weights.data());
    std::string wrong = wrong_route(c, logits, choices, weights);
    if (!wrong.empty()) return wrong;
    for (int& choice : choices)
        if (c.drops && random() % 4 == 0) choice = random() % 2 ? -3 : c.experts;
    moe_dispatch(device, {c.tokens, c.top_k, c.experts},
                 {choices.data(), ends.data(), rows.data(), slots.data()});
    wrong = wrong_tables(c, choices, ends, rows, slots);
    if (!wrong.empty()) return wrong;
    const index used = ends.back(), stride = c.pad > 0 ? ceil_div<index>(c.columns, 8) * 8 : c.columns;
    matrix<T> x({used, c.columns, stride}), y({c.tokens, c.columns, stride});
    x.fill(random, 1);
    y.each([&](index b, index i, index j) { y.at(b, i, j) = poison<T>(); });
    const index asked = stride == c.columns ? -1 : stride;
    moe_combine<T>(device, {c.tokens, c.top_k, c.columns, used, asked, asked},
                   {x.data(), slots.data(), c.unweighted ? nullptr : weights.data(), y.data()});
    if (y.disturbed()) return "elements beside y were written";
    std::vector<bounded> wanted;
    for (index t = 0; t < c.tokens; ++t)
        for (index column = 0; column < c.columns; ++column) {
            bounded sum{0, 0};
            for (int j = 0; j < c.top_k; ++j) {
                const std::size_t place = std::size_t(t * c.top_k + j);
                if (slots[place] < 0) continue;
                const double weight = c.unweighted ? 1 : double(weights[place]),
                             product = weight * value_of(x.at(0, slots[place], column));
                sum = plus({sum.value, sum.error + unit_roundoff<float> * std::fabs(product)}, product);
            }
            wanted.push_back(stored<T>(sum));
        }
    return difference(y, wanted);
}

}  // namespace fade::test
