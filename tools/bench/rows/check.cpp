#include "check.hpp"
#include "../../common/parallel.hpp"
#include "../inputs.hpp"
#include "../results.hpp"
#include "reference.hpp"
#include <algorithm>
#include <cmath>
#include <mutex>

namespace fade::bench {
namespace {

constexpr double max_elements = 3e8;

/// Of what a line of results, or a list of them, holds.
struct row_comparison : comparison_of_terms {
    using comparison_of_terms::add;
    void add(const matrix& m, const double* got, const expected_values& want) {
        for (std::size_t i = 0; i < want.value.size(); ++i) {
            found.add(got[i], in_range(want.value[i], *m.type));
            if (!want.scale.empty()) terms += want.scale[i] * want.scale[i];
        }
    }
};
using row_comparisons = std::map<std::string_view, row_comparison>;

/// Compares what the results have of a row or column.
void compare(const rows_request& r, const rows_data& data, index line, const expected_row& want,
             row_comparisons& to) {
    for (const auto& [name, values] : want) {
        const buffer& b = *data.buffers().find(name);
        const line_place at = place_of(r, b.shape(), line, index(values.value.size()));
        to[name].add(b.shape(), values_of(b, at).data(), values);
    }
}

void compare_weights(const rows_data& data, const char* name, const column_sums& want, row_comparisons& to) {
    const buffer* b = data.buffers().find(name);
    if (!b) return;
    expected_values values{want.value, want.squares};
    for (double& s : values.scale) s = std::sqrt(s);
    to[name].add(b->shape(), row_of(*b, 0).data(), values);
}

bool has_weight_gradients(const rows_request& r) { return r.backward && r.norm(); }

std::vector<index> lines_to_check(const rows_request& r) {
    const double all = double(r.lines());
    const double max =
        has_weight_gradients(r) ? all : max_elements / double(std::max<index>(r.elements_of_line(), 1));
    return some_of(r.lines(), index(std::clamp(max, 1.0, std::max(1.0, all))), r.seed);
}

row_comparisons compare_all(const rows_request& r, const rows_data& data, const std::vector<index>& lines) {
    constexpr index parts = 64;
    row_comparisons all;
    const index columns = has_weight_gradients(r) ? r.columns : 0;
    weight_gradients weights(columns);
    std::mutex adding;
    const index count = index(lines.size()), grain = std::max<index>(1, (count + parts - 1) / parts);
    tools::parallel_ranges(count, grain, [&](index first, index last) {
        row_comparisons some;
        weight_gradients of_some(columns);
        for (index i = first; i < last; ++i) {
            const index line = lines[std::size_t(i)];
            compare(r, data, line, reference_of(r, data, line, of_some), some);
        }
        const std::lock_guard lock(adding);
        for (const auto& [name, one] : some) all[name].add(one);
        weights.dweight.add(of_some.dweight), weights.dbias.add(of_some.dbias);
    });
    compare_weights(data, "dweight", weights.dweight, all),
        compare_weights(data, "dbias", weights.dbias, all);
    return all;
}

}  // namespace

// As docs/rows.md promises: one rounding of the result, and what f32 sums of a row may be off. Places and the
// elements that max and top_k find are exact.
double error_bound(const rows_request& r, const matrix& result) {
    constexpr double in_f32 = 4e-6, gradient_in_f32 = 1.4e-5;
    const bool exact = r.op == row_operator::max || r.op == row_operator::top_k;
    if (result.type->integer || (exact && r.in == r.out)) return 0;
    if (exact || result.name == "sum") return result.type->unit * (1 + result.type->unit) + 0x1p-24;
    if (r.op == row_operator::cross_entropy)
        return result.type->unit + std::min((double(r.columns) / 32 + 40) * 0x1p-24, 9e-6);
    return result.type->unit + (has_weight_gradients(r) ? gradient_in_f32 : r.reduces() ? 6e-6 : in_f32);
}

check_result check_output(const rows_request& r, const rows_data& data) {
    const std::vector<index> lines = lines_to_check(r);
    row_comparisons all = compare_all(r, data, lines);
    check_result out{.rows = r.lines(), .rows_checked = index(lines.size())};
    judge_results(data.buffers(), out, [&](const matrix& m, double& max) {
        max = all[m.name].found.max;
        return all[m.name].judged(m, error_bound(r, m));
    });
    return out;
}

}  // namespace fade::bench
