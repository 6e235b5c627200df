#include "check.hpp"
#include "../inputs.hpp"
#include "reference.hpp"
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

namespace fade::bench {
namespace {

constexpr double max_products = 1e10;

struct comparisons {
    comparison o, lse;
};

void compare(const attention_request& r, const attention_data& data, const reference_queries& want,
             comparisons& to) {
    const index dim = r.value_dim();
    std::vector<double> got(dim);
    const element& type = *r.out;
    const auto* lse = reinterpret_cast<const float*>(data.lse().data());
    for (index i = 0; i < want.count; ++i) {
        type.decode(data.output().data(), data.query_row(want.batch, want.queries[i], want.head) * dim, 1,
                    dim, got.data());
        for (index c = 0; c < dim; ++c) to.o.add(got[c], in_range(want.o[i * dim + c], type));
        to.lse.add(double(lse[(want.batch * r.heads + want.head) * r.seq_q + want.queries[i]]), want.lse[i]);
    }
}

/// As many queries as the reference computes in some seconds.
std::vector<index> queries_to_check(const attention_request& r) {
    const index all = r.batch * r.heads * r.seq_q;
    const double each = double(std::max<index>(r.seq_k, 1)) * (double(r.head_dim) + double(r.value_dim()));
    return some_of(all, index(std::clamp(max_products / each, 1.0, double(all))), r.seed);
}

/// Bytes of lse written behind the ends of packed sequences, where nothing is.
index written_behind(const attention_request& r, const attention_data& data) {
    index out = 0;
    for (index b = 0; r.lengths && b < r.batch; ++b)
        for (index h = 0; h < r.heads; ++h) {
            const std::byte* row = data.lse().data() + (b * r.heads + h) * r.seq_q * 4;
            out += std::count_if(row + r.queries(b) * 4, row + r.seq_q * 4,
                                 [](std::byte x) { return x != std::byte{0xff}; });
        }
    return out;
}

}  // namespace

// Weights are rounded to the input type once, which is at most one rounding of the output and 0.4 of one
// where many weights share it; twice that leaves room for sums of few weights. The output is rounded once
// more. An 8-bit weight is 0.026 off on average (2^-4 / sqrt 3, by the spread of the significand), and 0.03
// is what is promised there. Scores are f32: a sum of d products of normal numbers is off by sqrt(d) / 2
// roundings of its size, and its size is |scale| sqrt(d); the error of a score is a relative error of its
// weight. Factors of Q and K are at most 2 each. Sums over keys add no more than the square root of their
// number. f32 promises 1e-5 at most.
attention_bounds bounds_of(const attention_request& r) {
    constexpr double unit = 0x1p-24, max = 1e-5;
    const double d = double(r.head_dim), factors = r.head_scales ? 4 : 1,
                 size = factors * std::abs(r.scale.value_or(1 / std::sqrt(d))) * std::sqrt(d);
    const double in_f32 =
        std::min((16 + size * (8 + std::sqrt(d)) + std::sqrt(double(r.seq_k))) * unit, max - 4 * unit);
    const double weights = r.in->bytes == 1 ? 0.029 : 2 * r.in->unit;
    return {std::min(weights + r.out->unit + in_f32, r.in->bytes == 1 ? 0.03 : 1.0), max};
}

check_result check_output(const attention_request& r, const attention_data& data) {
    const attention_bounds bounds = bounds_of(r);
    check_result out{.bound = bounds.o, .rows = r.batch * r.heads * r.seq_q};
    comparisons all;
    std::mutex adding;
    if (out.rows > 0) {
        const std::vector<index> queries = queries_to_check(r);
        out.rows_checked = index(queries.size());
        compute_reference(r, data, queries, [&](const reference_queries& some) {
            comparisons one;
            compare(r, data, some, one);
            const std::lock_guard lock(adding);
            all.o.add(one.o), all.lse.add(one.lse);
        });
    }
    out.rel_err = all.o.relative(0), out.max_abs_err = all.o.max, out.wrong_kind = all.o.wrong_kind;
    out.beside.push_back(
        {"lse", all.lse.relative(std::sqrt(double(all.lse.count))), bounds.lse, all.lse.wrong_kind});
    out.outside =
        data.output().bytes_changed_outside() + data.lse().bytes_changed_outside() + written_behind(r, data);
    return out;
}

}  // namespace fade::bench
