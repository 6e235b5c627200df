// Row operators, captured as launches on an architecture would be: rows of every length that takes another
// kernel, aligned and not.
#pragma once
#include "capture.hpp"
#include "launched.hpp"
#include <algorithm>
#include <cmath>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace fade::replay {

/// Rows of T from `first` on, with gaps.
template <class T>
struct row_memory {
    std::vector<T> all;
    index first, rows, columns, stride;

    row_memory(index r, index c, bool aligned, std::mt19937_64& random)
        : first(aligned ? 0 : 3), rows(r), columns(c), stride(aligned ? c : c + 5) {
        std::normal_distribution<float> normal;
        all.resize(std::size_t(first + (rows - 1) * stride + columns));
        for (T& x : all) x = convert<T>(normal(random));
    }
    T* data() { return all.data() + first; }
    double at(index r, index c) const {
        return double(convert<float>(all[std::size_t(first + r * stride + c)]));
    }
    /// Memory of the rows, not one byte before or after; what lies between them must stay as it is.
    void keep(capture& to, const std::string& name, const std::string& role) {
        to.memory(name, data(), (all.size() - std::size_t(first)) * sizeof(T), role);
    }
    /// f(row, column) in rows, and what is there now between them.
    template <class F>
    void expect(capture& to, const std::string& name, double bound, F f) const {
        std::vector<double> values;
        for (index i = 0; i < index(all.size()) - first; ++i)
            values.push_back(i % stride < columns ? f(i / stride, i % stride) : at(i / stride, i % stride));
        to.expect(name, fade::name(dtype_v<T>), values, bound);
    }
};

/// Weights may be wider than rows: a run of theirs is then more than one access.
template <class T, class Weight = T>
void capture_rms_norm(capture_target target, const fs::path& folder, index rows, index columns, bool aligned,
                      std::mt19937_64& random) {
    row_memory<T> x(rows, columns, aligned, random), residual = x, sum = x, y = x;
    for (T& r : residual.all) r = convert<T>(0.5f - convert<float>(r));
    row_memory<Weight> weight(1, columns, true, random);
    const kernel::rms_norm_rows<T, T, Weight> op{.x = {x.data(), x.stride},
                                                 .residual = {residual.data(), x.stride},
                                                 .sum = {sum.data(), x.stride},
                                                 .weight = {weight.data(), 0},
                                                 .y = {y.data(), x.stride},
                                                 .scales = nullptr,
                                                 .inverse_root = nullptr,
                                                 .epsilon = 1e-3f,
                                                 .weight_offset = 1};
    capture out(folder);
    x.keep(out, "x", "in"), residual.keep(out, "residual", "in"), weight.keep(out, "weight", "in");
    sum.keep(out, "sum", "inout"), y.keep(out, "y", "inout");
    for (const auto& l : plan_rows(target, "rms_norm", {rows, columns}, op).launches)
        out.launch(target.row(), l);
    const auto h = [&](index r, index c) {
        return double(convert<float>(convert<T>(float(x.at(r, c) + residual.at(r, c)))));
    };
    std::vector<double> inverse;
    for (index r = 0; r < rows; ++r) {
        double squares = 0;
        for (index c = 0; c < columns; ++c) squares += h(r, c) * h(r, c);
        inverse.push_back(1 / std::sqrt(squares / double(columns) + 1e-3));
    }
    sum.expect(out, "sum", 1e-7, h);
    y.expect(out, "y", 0x1p-7,
             [&](index r, index c) { return h(r, c) * inverse[std::size_t(r)] * (weight.at(0, c) + 1); });
    out.close();
}

/// By a kernel whose name begins with `kind`.
template <class T>
void capture_softmax(capture_target target, const fs::path& folder, const std::string& kind, index rows,
                     index columns, bool aligned, std::mt19937_64& random) {
    row_memory<T> x(rows, columns, aligned, random), y = x;
    const kernel::softmax_rows<T, T, false> op{{x.data(), x.stride}, {y.data(), x.stride}};
    const auto plan = plan_rows(target, "softmax", {rows, columns}, op);
    if (!plan.report.chosen.starts_with("rows " + kind))
        throw std::runtime_error(folder.string() + " takes '" + plan.report.chosen + "', not rows " + kind);
    capture out(folder);
    x.keep(out, "x", "in"), y.keep(out, "y", "inout");
    for (const auto& l : plan.launches) out.launch(target.row(), l);
    std::vector<double> sums;
    for (index r = 0; r < rows; ++r) {
        sums.push_back(0);
        for (index c = 0; c < columns; ++c) sums.back() += std::exp(x.at(r, c));
    }
    y.expect(out, "y", 1e-5, [&](index r, index c) { return std::exp(x.at(r, c)) / sums[std::size_t(r)]; });
    out.close();
}

/// The k largest, of which many are equal where `levels` are few.
template <class T>
void capture_top_k(capture_target target, const fs::path& folder, index rows, index columns, int k,
                   int levels, std::mt19937_64& random) {
    row_memory<T> x(rows, columns, true, random);
    if (levels)
        for (T& e : x.all) e = convert<T>(float(random() % std::uint64_t(levels)));
    std::vector<T> values(std::size_t(rows * k));
    std::vector<int> places(values.size());
    const kernel::top_k_rows<T, T> op{{x.data(), x.stride}, values.data(), places.data(), k};
    capture out(folder);
    x.keep(out, "x", "in");
    out.memory("values", values.data(), values.size() * sizeof(T), "inout");
    out.memory("places", places.data(), places.size() * sizeof(int), "inout");
    for (const auto& l : plan_rows(target, "top_k", {rows, columns}, op).launches)
        out.launch(target.row(), l);
    std::vector<double> largest, where;
    for (index r = 0; r < rows; ++r) {
        std::vector<index> order(static_cast<std::size_t>(columns));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](index a, index b) { return x.at(r, a) > x.at(r, b); });
        for (int i = 0; i < k; ++i)
            largest.push_back(x.at(r, order[std::size_t(i)])), where.push_back(double(order[std::size_t(i)]));
    }
    out.expect("values", fade::name(dtype_v<T>), largest, 0), out.expect("places", "i32", where, 0);
    out.close();
}

/// A row by a wave, by lanes of a workgroup, and one that streams through them.
inline void capture_rows(capture_target target, const fs::path& at, std::mt19937_64& random) {
    const auto odd = [&] { return index(random() % 100); };
    capture_rms_norm<bf16>(target, at / "rows-rms-wave", 6, 8 * 30, true, random);
    capture_rms_norm<bf16>(target, at / "rows-rms-workgroup", 2, 8 * 320, true, random);
    capture_rms_norm<bf16, float>(target, at / "rows-rms-wide-weights", 2, 8 * 320, true, random);
    capture_rms_norm<bf16>(target, at / "rows-rms-odd", 3, 1200 + odd(), false, random);
    capture_softmax<float>(target, at / "rows-softmax-wave", "short_wave", 5, 60 + odd(), false, random);
    capture_softmax<float>(target, at / "rows-softmax-workgroup", "lanes_", 2, 4 * 700, true, random);
    capture_softmax<float>(target, at / "rows-softmax-streamed", "streamed", 1, 33000 + odd(), false, random);
    capture_top_k<bf16>(target, at / "rows-top-k-wave", 5, 8 * 50, 8, 0, random);
    capture_top_k<bf16>(target, at / "rows-top-k-workgroup", 2, 8 * 300, 9, int(random() % 2) * 40, random);
}

}  // namespace fade::replay
