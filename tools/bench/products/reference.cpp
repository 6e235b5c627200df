#include "reference.hpp"
#include "../../common/parallel.hpp"
#include "mixture.hpp"
#include "weights.hpp"
#include <algorithm>
#include <cmath>
#include <map>

namespace fade::bench {
namespace {

using kind = product_kind;
constexpr index scale_depth = 128, columns_at_once = 8;

double dot(const double* x, const double* y, index count) {
    constexpr int lanes = 8;
    double sums[lanes] = {};
    index p = 0;
    for (; p + lanes <= count; p += lanes)
        for (int i = 0; i < lanes; ++i) sums[i] += x[p + i] * y[p + i];
    for (; p < count; ++p) sums[0] += x[p] * y[p];
    double out = 0;
    for (double s : sums) out += s;
    return out;
}

index end_of(const buffer_set& from, index group) {
    double out;
    element_of(fade::dtype::i32).decode(from.address("ends"), group, 1, 1, &out);
    return index(out);
}

/// Of a batch: whose row of D it is.
index product_of_row(const product_request& r, index i) { return matrix_of_product(r, "d", i / r.m); }

/// Rows with the same B, for each B that has some.
std::map<index, std::vector<std::size_t>> by_group(const product_request& r, const product_data& data,
                                                   const std::vector<index>& rows) {
    std::map<index, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        index group = 0;
        if (has_groups_of_b(r.op))
            while (end_of(data.buffers(), group) <= rows[i]) ++group;
        if (r.op == kind::batched_gemm) group = matrix_of_product(r, "b", product_of_row(r, rows[i]));
        out[group].push_back(i);
    }
    return out;
}

column_reader strided_columns(const product_request& r, const buffer& b) {
    return [&r, &b](index first, index count, double* to) {
        for (index c = 0; c < count; ++c) r.in->decode(b.data(), first + c, r.n, r.k, to + c * r.k);
    };
}

column_reader scaled_columns(const product_request& r, const buffer_set& from) {
    const buffer &b = *from.find("b"), &scales = *from.find("scale_b");
    return [&r, &b, &scales](index first, index count, double* to) {
        for (index c = 0; c < count; ++c) {
            const index j = first + c;
            r.in->decode(b.data(), j * r.k, 1, r.k, to + c * r.k);
            for (index p = 0; p < r.k; ++p) {
                const index at = j / scale_depth * scales.shape().columns + p / scale_depth;
                to[c * r.k + p] *= double(reinterpret_cast<const float*>(scales.data())[at]);
            }
        }
    };
}

}  // namespace

double gated(gate_kind gate, double left, double right) {
    const double by =
        gate == gate_kind::swiglu ? 1 / (1 + std::exp(-left)) : 0.5 * std::erfc(-left / std::sqrt(2.0));
    return left * by * right;
}

column_reader columns_of(const product_request& r, const buffer_set& from, index group) {
    if (r.format) return weight_reader(*r.format, from, *r.in, r.n, r.k, group);
    if (r.is_along_k()) return strided_columns(r, *from.find("b"));
    if (r.op == kind::scaled_gemm) return scaled_columns(r, from);
    return stored_columns(*from.find("b"), group);
}

std::vector<double> row_of_a(const product_request& r, const buffer_set& from, index i) {
    std::vector<double> out(std::size_t(r.k));
    if (r.is_along_k()) {  // zeros where the group of D has no rows
        const index group = i / r.m, begin = group ? end_of(from, group - 1) : 0;
        const index rows = end_of(from, group) - begin;
        r.in->decode(from.address("a"), begin * r.m + i % r.m, r.m, rows, out.data() + begin);
        return out;
    }
    if (r.op == kind::batched_gemm) i = matrix_of_product(r, "a", product_of_row(r, i)) * r.m + i % r.m;
    r.in->decode(from.address("a"), i * r.k, 1, r.k, out.data());
    if (const buffer* scales = from.find("scale_a"))
        for (index p = 0; p < r.k; ++p)
            out[std::size_t(p)] *= double(reinterpret_cast<const float*>(
                scales->data())[i * scales->shape().columns + p / scale_depth]);
    return out;
}

column_reader stored_columns(const buffer& b, index group) {
    return [&b, group](index first, index count, double* to) {
        const matrix& m = b.shape();
        m.type->decode(b.data(), m.at(group, first, 0), 1, count * m.columns, to);
    };
}

std::vector<double> multiplied(const std::vector<std::vector<double>>& rows, index k, index n,
                               const column_reader& columns) {
    std::vector<double> out(rows.size() * std::size_t(n));
    tools::parallel_ranges(n, columns_at_once, [&](index first, index last) {
        std::vector<double> held(std::size_t((last - first) * k));
        columns(first, last - first, held.data());
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (index j = first; j < last; ++j)
                out[i * std::size_t(n) + std::size_t(j)] =
                    dot(rows[i].data(), held.data() + (j - first) * k, k);
    });
    return out;
}

std::vector<double> through_gate(gate_kind gate, const std::vector<double>& x) {
    std::vector<double> out(x.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = gated(gate, x[2 * i], x[2 * i + 1]);
    return out;
}

std::vector<double> expected_rows(const product_request& r, const product_data& data,
                                  const std::vector<index>& rows) {
    if (r.op == kind::moe) return expected_mixture(r, data, rows);
    const std::size_t width = std::size_t(r.columns_of_d());
    std::vector<double> out(rows.size() * width);
    for (const auto& [group, members] : by_group(r, data, rows)) {
        std::vector<std::vector<double>> a;
        for (std::size_t i : members) a.push_back(row_of_a(r, data.buffers(), rows[i]));
        std::vector<double> x = multiplied(a, r.k, r.n, columns_of(r, data.buffers(), group));
        if (r.gate) x = through_gate(*r.gate, x);
        for (std::size_t i = 0; i < members.size(); ++i)
            std::copy_n(x.begin() + index(i * width), width, out.begin() + index(members[i] * width));
    }
    return out;
}

}  // namespace fade::bench
