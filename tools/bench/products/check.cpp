#include "check.hpp"
#include "../inputs.hpp"
#include "mixture.hpp"
#include <algorithm>
#include <cmath>

namespace fade::bench {
namespace {

using kind = product_kind;
constexpr double max_products = 4e9;

double products_of_row(const product_request& r) {
    const double first = double(r.columns_of_b()) * double(r.k);
    return r.op == kind::moe ? r.top_k * (first + double(r.n) * double(r.k)) : first;
}

/// What outputs have where nothing cancels: about 1, behind a gate about a third.
double typical(const product_request& r) { return r.op == kind::gated_gemm || r.op == kind::moe ? 0.3 : 1; }

side_check compared(const product_data& data, const char* name, const std::vector<double>& want,
                    double bound) {
    const std::vector<double> got = numbers_of(*data.buffers().find(name));
    comparison found;
    for (std::size_t i = 0; i < want.size(); ++i) found.add(got[i], want[i]);
    return {name, found.relative(0), bound, found.wrong_kind};
}

void check_routes(check_result& out, const product_request& r, const product_data& data) {
    const expected_routes want = routes_of(r, data);
    out.beside = {compared(data, "choices", want.choices, 0), compared(data, "shares", want.shares, 1e-5),
                  compared(data, "ends", want.ends, 0), compared(data, "row_list", want.row_list, 0),
                  compared(data, "slots", want.slots, 0)};
}

}  // namespace

std::vector<std::string_view> products_written(const product_request& r) {
    if (r.op != kind::moe) return {"d"};
    return {"d", "choices", "shares", "ends", "row_list", "slots"};
}

double error_bound(const product_request& r) {
    constexpr double unit = 0x1p-24, max = 1e-5;
    const double sums = std::min((8 + 4 * std::sqrt(double(std::max(r.k, r.n * (r.op == kind::moe))))) * unit,
                                 max - 2 * unit);
    if (r.op == kind::moe) return 3 * r.out->unit + 8 * sums;
    return r.out->unit + (r.op == kind::gated_gemm ? 4 : 1) * sums;
}

std::vector<index> rows_to_check(const product_request& r) {
    const double most = max_products / std::max(1.0, products_of_row(r));
    const index rows = r.rows_of_d();
    return some_of(rows, std::max<index>(1, index(std::min(double(rows), most))), r.seed);
}

check_result check_output(const product_request& r, const product_data& data) {
    check_result out{.bound = error_bound(r), .rows = r.rows_of_d()};
    const matrix& m = data.output().shape();
    comparison all;
    if (!m.empty()) {
        const std::vector<index> rows = rows_to_check(r);
        const std::vector<double> want = expected_rows(r, data, rows);
        std::vector<double> got(std::size_t(m.columns));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            m.type->decode(data.output().data(), m.at(0, rows[i], 0), 1, m.columns, got.data());
            for (std::size_t j = 0; j < got.size(); ++j)
                all.add(got[j], in_range(want[i * got.size() + j], *m.type));
        }
        out.rows_checked = index(rows.size());
    }
    const double floor = std::sqrt(double(all.count)) * typical(r) * (r.k > 0) / 4;
    const double norm = std::max(std::sqrt(all.norm), floor);
    out.rel_err = all.relative(norm);
    if (norm > 0) out.bound += r.out->min / 2 * std::sqrt(double(all.count)) / norm;
    out.max_abs_err = all.max, out.wrong_kind = all.wrong_kind;
    for (const buffer& b : data.buffers().all())
        if (b.shape().written) out.outside += b.bytes_changed_outside();
    if (r.op == kind::moe && r.m > 0) check_routes(out, r, data);
    return out;
}

}  // namespace fade::bench
