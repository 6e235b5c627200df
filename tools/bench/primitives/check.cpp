#include "../results.hpp"
#include "data.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace fade::bench {
namespace {

using kind = primitive_kind;
using lists = std::map<std::string_view, std::vector<double>>;

std::vector<double> picked(const std::vector<double>& x, const std::vector<double>& places) {
    std::vector<double> out;
    for (double p : places) out.push_back(x[std::size_t(p)]);
    return out;
}

/// Places of the elements in order; of equal ones the first comes first.
std::vector<double> ordered(const std::vector<double>& x, bool descending, std::size_t count) {
    std::vector<double> out(x.size());
    std::iota(out.begin(), out.end(), 0.0);
    std::ranges::sort(out, [&](double a, double b) {
        const double u = x[std::size_t(a)], v = x[std::size_t(b)];
        return u != v ? (descending ? u > v : u < v) : a < b;
    });
    out.resize(count);
    return out;
}

std::vector<double> running_sums(const std::vector<double>& x) {
    std::vector<double> out;
    double sum = 0;
    for (double v : x) out.push_back(sum += v);
    return out;
}

lists selected(const primitive_data& data, const std::vector<double>& x) {
    const std::vector<double> flags = data.list("flags");
    lists out;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (flags[i] != 0) out["y"].push_back(x[i]);
    out["selected"] = {double(out["y"].size())};
    return out;
}

std::vector<double> sums_of_segments(const primitive_data& data, const std::vector<double>& x) {
    const std::vector<double> edges = data.list("offsets");
    std::vector<double> out;
    for (std::size_t s = 0; s + 1 < edges.size(); ++s)
        out.push_back(std::accumulate(x.begin() + index(edges[s]),
                                      x.begin() + std::max(index(edges[s]), index(edges[s + 1])), 0.0));
    return out;
}

/// Distances from the lower end are those of f32, as docs/primitives.md says; the rest is exact.
std::vector<double> counts(const std::vector<double>& x) {
    constexpr double bins_of_one = histogram_bins / (histogram_upper - histogram_lower);
    std::vector<double> out(histogram_bins);
    for (double v : x) {
        if (v < histogram_lower || v >= histogram_upper) continue;
        const float above = float(v) - float(histogram_lower);
        ++out[std::min<std::size_t>(std::size_t(double(above) * bins_of_one), histogram_bins - 1)];
    }
    return out;
}

lists expected(const primitive_request& r, const primitive_data& data) {
    const std::vector<double> x = data.list("x");
    const bool finds = r.op == kind::top_k;
    switch (r.op) {
    case kind::scan:
        return {{"y", running_sums(x)}};
    case kind::select:
        return selected(data, x);
    case kind::reduce:
        return {{"y", {std::accumulate(x.begin(), x.end(), 0.0)}}};
    case kind::segmented_reduce:
        return {{"y", sums_of_segments(data, x)}};
    case kind::histogram:
        return {{"counts", counts(x)}};
    default:
        break;
    }
    const std::vector<double> places = ordered(x, finds, finds ? std::size_t(*r.k) : x.size());
    lists out{{"y", picked(x, places)}};
    if (r.op != kind::sort) out["places"] = places;
    return out;
}

/// Sums are added in f32, by many lanes; everything else is exact.
double bound_of(const primitive_request& r, const matrix& result) {
    const bool sums = r.op == kind::scan || r.op == kind::reduce || r.op == kind::segmented_reduce;
    return sums && !result.type->integer ? 1e-5 : 0;
}

/// Where terms cancel, an error is held against the root of the sum of their squares.
double min_norm(const primitive_request& r, const primitive_data& data) {
    if (r.op != kind::reduce && r.op != kind::segmented_reduce) return 0;
    double squares = 0;
    for (double v : data.list("x")) squares += v * v;
    return std::sqrt(squares);
}

}  // namespace

check_result check_output(const primitive_request& r, const primitive_data& data) {
    lists want = expected(r, data);
    check_result out{.rows = 1, .rows_checked = 1};
    judge_results(data.buffers(), out, [&](const matrix& m, double& max) {
        const std::vector<double> got = data.list(m.name);
        comparison found;
        for (std::size_t i = 0; i < want[m.name].size(); ++i) found.add(got[i], want[m.name][i]);
        max = found.max;
        return side_check{m.name, found.relative(min_norm(r, data)), bound_of(r, m), found.wrong_kind};
    });
    return out;
}

}  // namespace fade::bench
