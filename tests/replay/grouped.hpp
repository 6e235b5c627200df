// Grouped products, captured as launches on an architecture would be.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include "launched.hpp"
#include <cmath>
#include <fade/grouped_gemm.hpp>
#include <random>

namespace fade::replay {

/// Groups of no rows, of some, of more than a tile; rows behind them, which stay as they are. With a list,
/// rows of A that it names, of which some are not there.
inline void capture_groups(capture_target target, const fs::path& folder, bool listed, index k,
                           std::mt19937_64& random) {
    constexpr int n = 72;
    const std::vector<int> ends{3, 3, 70 + int(random() % 90), 200};
    grouped_gemm_problem p{
        .rows = 209, .n = n, .k = k, .groups = 4, .layout = listed ? gemm_layout::nn : gemm_layout::nt};
    if (listed) p.rows_of_a = 50;
    std::normal_distribution<double> normal;
    const auto filled = [&](index count) {
        std::vector<f16> out(static_cast<std::size_t>(count));
        for (f16& x : out) x = test::nearest<f16>(normal(random));
        return out;
    };
    const std::vector<f16> a = filled((listed ? p.rows_of_a : p.rows) * k), b = filled(4 * n * k);
    std::vector<f16> d(std::size_t(p.rows * n), test::poison<f16>());
    std::vector<int> list;
    for (index i = 0; listed && i < p.rows; ++i) list.push_back(int(random() % 53) - 1);
    std::vector<double> wanted(d.size(), std::nan(""));
    for (int row = 0, group = 0; row < ends.back(); ++row) {
        while (row >= ends[std::size_t(group)]) ++group;
        const int from = listed ? list[std::size_t(row)] : row;
        for (int column = 0; column < n; ++column) {
            double& sum = wanted[std::size_t(row * n + column)] = 0;
            for (index i = 0; i < k && from >= 0 && (!listed || from < p.rows_of_a); ++i) {
                const index at = (group * k + i) * n + column, across = (group * n + column) * k + i;
                sum += test::value_of(a[std::size_t(from * k + i)]) *
                       test::value_of(b[std::size_t(listed ? at : across)]);
            }
        }
    }
    capture out(folder);
    out.memory("a", a.data(), a.size() * 2, "in"), out.memory("b", b.data(), b.size() * 2, "in");
    out.memory("ends", ends.data(), ends.size() * sizeof(int), "in");
    if (listed) out.memory("list", list.data(), list.size() * sizeof(int), "in");
    out.memory("d", d.data(), d.size() * 2, "inout");
    const grouped_gemm_operands<f16> operands{.a = a.data(),
                                              .b = b.data(),
                                              .d = d.data(),
                                              .ends = ends.data(),
                                              .row_list = listed ? list.data() : nullptr};
    for (const auto& launch : plan_grouped_gemm<f16>(target, p, operands).launches)
        out.launch(target.row(), launch);
    out.expect("d", "f16", wanted, 0x1p-9);
    out.close();
}

/// Groups along k: of no rows, of some, of more than a step; rows of A and B behind them, which are NaN.
inline void capture_along_k(capture_target target, const fs::path& folder, index m, std::mt19937_64& random) {
    constexpr index n = 72;
    const std::vector<int> ends{5, 5, 38 + int(random() % 30), 90};
    const grouped_k_gemm_problem p{.m = m, .n = n, .k = 99, .groups = 4};
    std::normal_distribution<double> normal;
    const auto filled = [&](index columns) {
        std::vector<f16> out(std::size_t(p.k * columns), test::nearest<f16>(std::nan("")));
        for (index i = 0; i < ends.back() * columns; ++i)
            out[std::size_t(i)] = test::nearest<f16>(normal(random));
        return out;
    };
    const std::vector<f16> a = filled(m), b = filled(n);
    std::vector<f16> d(std::size_t(p.groups * m * n), test::poison<f16>());
    std::vector<double> wanted(d.size());
    for (index group = 0, row = 0; group < p.groups; ++group)
        for (; row < ends[std::size_t(group)]; ++row)
            for (index i = 0; i < m; ++i)
                for (index j = 0; j < n; ++j)
                    wanted[std::size_t((group * m + i) * n + j)] +=
                        test::value_of(a[std::size_t(row * m + i)]) *
                        test::value_of(b[std::size_t(row * n + j)]);
    capture out(folder);
    out.memory("a", a.data(), a.size() * 2, "in"), out.memory("b", b.data(), b.size() * 2, "in");
    out.memory("ends", ends.data(), ends.size() * sizeof(int), "in");
    out.memory("d", d.data(), d.size() * 2, "inout");
    const grouped_k_gemm_operands<f16> operands{
        .a = a.data(), .b = b.data(), .d = d.data(), .ends = ends.data()};
    for (const auto& launch : plan_grouped_k_gemm<f16>(target, p, operands).launches)
        out.launch(target.row(), launch);
    out.expect("d", "f16", wanted, 0x1p-9);
    out.close();
}

/// In aligned runs, rows as they follow and rows by a list, and element by element.
inline void capture_grouped(capture_target target, const fs::path& at, std::mt19937_64& random) {
    capture_groups(target, at / "grouped", false, 72, random);
    capture_groups(target, at / "grouped-listed", true, 64, random);
    capture_groups(target, at / "grouped-elements", true, 37, random);
    capture_along_k(target, at / "grouped-along-k", 40, random);
    capture_along_k(target, at / "grouped-along-k-elements", 21, random);
}

}  // namespace fade::replay
