#include "check.hpp"
#include "../../common/parallel.hpp"
#include "../inputs.hpp"
#include "../results.hpp"
#include "reference.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace fade::bench {
namespace {

using enum image_operator;
constexpr double max_operations = 1e9;

struct image_comparison : comparison_of_terms {
    using comparison_of_terms::add;
    void add(const element& type, const std::vector<double>& got, const expected_elements& want) {
        for (std::size_t i = 0; i < got.size(); ++i) found.add(got[i], in_range(want.value[i], type));
        for (double s : want.scale) terms += s * s;
    }
};
using image_comparisons = std::map<std::string_view, image_comparison>;

std::vector<index> units_to_check(const image_request& r) {
    const index units = units_of(r.problem);
    const double all = 4 * operations_of(r) + 4 * double(r.problem.input().volume()) *
                                                  double(r.problem.batch()) * r.problem.channels(),
                 some = std::min(1.0, max_operations / std::max(all, 1.0));
    return some_of(units, std::max<index>(1, index(some * double(units))), r.seed);
}

image_comparisons compare_all(const image_request& r, const image_data& data,
                              const std::vector<index>& units) {
    image_comparisons all;
    std::mutex adding;
    tools::parallel_for(index(units.size()), [&](index i) {
        image_comparisons some;
        for (const expected_elements& want : reference_of(r, data, units[std::size_t(i)]))
            if (!want.tensor.empty())
                some[want.tensor].add(*data.buffers().find(want.tensor)->shape().type,
                                      data.values(want.tensor, want.at), want);
        const std::lock_guard lock(adding);
        for (const auto& [name, one] : some) all[name].add(one);
    });
    return all;
}

/// So many terms make one element of a result, about.
double terms_of(const image_problem& p) {
    if (p.norms()) return double(p.batch()) * double(p.input().volume());
    if (p.pools()) return double(p.pool.window.volume());
    const double of_x = std::max(1.0, double(p.output().volume()) / double(p.input().volume()));
    return 8 * (p.backward ? of_x : 1);
}

/// Positions are computed in f32, and what lies between pixels follows them.
double off_by_position(const image_problem& p) {
    const bool exact = p.op == upsample ? p.up.mode != upsample_mode::linear
                                        : p.op != grid_sample || p.grid.mode == grid_mode::nearest;
    const spatial in = p.input(), out = p.output();
    return exact ? 0 : double(std::max({in.d, in.h, in.w, out.d, out.h, out.w})) * 0x1p-22;
}

}  // namespace

// As docs/images.md promises: one rounding of the result, sums in f32 of normal numbers, in any order, and
// positions in f32. What takes one pixel as it is, is exact.
double error_bound(const image_request& r, const matrix& result) {
    const image_problem& p = r.problem;
    const bool nearest = p.op == upsample ? p.up.mode != upsample_mode::linear
                                          : p.op == grid_sample && p.grid.mode == grid_mode::nearest;
    const bool moves = p.op == max_pool || (nearest && result.name == "y");
    if (result.type->integer || (moves && !p.backward)) return 0;
    const double terms = terms_of(p) * (result.name == "dgrid" ? p.channels() : 1);
    return result.type->unit + (8 + 4 * std::sqrt(terms)) * 0x1p-24 + off_by_position(p);
}

check_result check_output(const image_request& r, const image_data& data) {
    const std::vector<index> units = units_to_check(r);
    image_comparisons all = compare_all(r, data, units);
    check_result out{.rows = units_of(r.problem), .rows_checked = index(units.size())};
    judge_results(data.buffers(), out, [&](const matrix& m, double& max) {
        max = all[m.name].found.max;
        return all[m.name].judged(m, error_bound(r, m));
    });
    return out;
}

}  // namespace fade::bench
