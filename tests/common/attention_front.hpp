// Keys at the front of a sequence that no query sees for what they hold, unlike masked ones, which kernels
// know of.
#pragma once
#include "common/attention_reference.hpp"
#include <cmath>
#include <limits>

namespace fade::test {

/// Scores of the first keys of a batch of one become minus infinity: the first dimension of those keys is,
/// and that of all queries is positive.
template <class T>
void forbid_first_keys(attention_data<T>& x, index count) {
    for (index h = 0; h < x.problem.heads; ++h)
        for (index i = 0; i < x.problem.seq_q; ++i) {
            T& q = x.q[std::size_t(x.query_at(0, i, h))];
            q = nearest<T>(1 + std::abs(value_of(q)));
        }
    for (index h = 0; h < x.problem.kv_heads; ++h)
        for (index j = 0; j < count; ++j)
            x.k[std::size_t(x.key_at(0, j, h))] = nearest<T>(-std::numeric_limits<double>::infinity());
}

/// What is wrong with results in which those keys have no weight. The reference never sees them.
template <class T>
std::string wrong_without_first_keys(attention_data<T> x, index count) {
    x.k.erase(x.k.begin(), x.k.begin() + x.key_at(0, count, 0));
    x.v.erase(x.v.begin(), x.v.begin() + x.value_at(0, count, 0));
    x.problem.seq_k -= count;
    return wrong_with(x);
}

}  // namespace fade::test
