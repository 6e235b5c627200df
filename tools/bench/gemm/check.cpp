#include "check.hpp"
#include "../inputs.hpp"
#include "reference.hpp"
#include <algorithm>
#include <cmath>
#include <mutex>

namespace fade::bench {
namespace {

constexpr double max_products = 2e10;

comparison compare(const buffer& output, const reference_tile& tile) {
    const matrix& m = output.shape();
    std::vector<double> got(tile.column_count);
    comparison out;
    for (index i = 0; i < tile.row_count; ++i) {
        m.type->decode(output.data(), m.at(tile.batch, tile.rows[i], tile.first_column), 1, tile.column_count,
                       got.data());
        for (index j = 0; j < tile.column_count; ++j)
            out.add(got[j], in_range(tile.values[i * tile.column_count + j], *m.type));
    }
    return out;
}

std::vector<index> rows_to_check(const gemm_request& r, const gemm_problem& p) {
    const double a_row = double(p.n) * double(p.k) * double(p.batch);
    return some_of(p.m, std::max<index>(1, index(std::min(double(p.m), max_products / std::max(1.0, a_row)))),
                   r.seed);
}

}  // namespace

double error_bound(const gemm_request& r, const gemm_problem& p) {
    if (r.out->integer) return 0;
    const bool f64 = r.in->type == fade::dtype::f64;
    const double unit = f64 ? 0x1p-53 : 0x1p-24, max = f64 ? 1e-12 : 1e-5;
    return r.out->unit + std::min((8 + 4 * std::sqrt(double(p.k))) * unit, max - 2 * unit);
}

check_result check_output(const gemm_request& r, const gemm_data& data) {
    const gemm_problem& p = data.problem();
    check_result out{.bound = error_bound(r, p), .rows = p.m};
    comparison all;
    std::mutex adding;
    if (!data.output().shape().empty()) {
        const std::vector<index> rows = rows_to_check(r, p);
        out.rows_checked = index(rows.size());
        compute_reference(r, data, rows, [&](const reference_tile& tile) {
            const comparison one = compare(data.output(), tile);
            const std::lock_guard lock(adding);
            all.add(one);
        });
    }
    const double typical = std::sqrt(double(all.count) * (p.alpha * p.alpha * (p.k > 0) + p.beta * p.beta));
    const double norm = std::max(std::sqrt(all.norm), typical / 4);
    out.rel_err = all.relative(norm);
    if (norm > 0) out.bound += r.out->min / 2 * std::sqrt(double(all.count)) / norm;
    out.max_abs_err = all.max, out.wrong_kind = all.wrong_kind;
    out.outside = data.output().bytes_changed_outside();
    return out;
}

check_result worst(const check_result& one, const check_result& other) {
    check_result out = one.rel_err * other.bound >= other.rel_err * one.bound ? one : other;
    out.max_abs_err = std::max(one.max_abs_err, other.max_abs_err);
    out.wrong_kind = one.wrong_kind + other.wrong_kind, out.outside = one.outside + other.outside;
    out.rows = one.rows + other.rows, out.rows_checked = one.rows_checked + other.rows_checked;
    out.faults = one.faults;
    out.faults.insert(out.faults.end(), other.faults.begin(), other.faults.end());
    return out;
}

}  // namespace fade::bench
