// Tables that name what is not there, where nobody looks at them before the launch.
#pragma once
#include "common/gemm_check.hpp"
#include <fade/grouped_gemm.hpp>

namespace fade::test {

/// Rows that A has not, and four ends of which the first, 20, is right: nothing outside the memory is
/// touched, and rows that are not there are zeros. What is wrong; nothing if all is right.
template <class Arch>
std::string unlooked_tables(const std::vector<int>& ends) {
    constexpr int rows = 100, n = 40, k = 64, rows_of_a = 30;
    matrix<f16> a({rows_of_a, k, k}), b({k, n, n, 4, k * n}), d({rows, n, n});
    std::mt19937_64 random(5);
    a.fill(random, 1), b.fill(random, 1);
    std::vector<int> list(rows);
    const int nowhere[] = {-9, -1, rows_of_a, 1 << 29};
    for (int& line : list) line = int(random() % 3) ? int(random() % rows_of_a) : nowhere[random() % 4];
    auto device = device_of<Arch>(2, 64);
    try {
        grouped_gemm<f16>(
            device,
            {.rows = rows, .n = n, .k = k, .groups = 4, .layout = gemm_layout::nn, .rows_of_a = rows_of_a},
            {.a = a.data(), .b = b.data(), .d = d.data(), .ends = ends.data(), .row_list = list.data()}, {},
            {.check_indices = false});
    } catch (const error& e) {
        return e.what();
    }
    if (d.disturbed()) return "elements outside D were written";
    if (ends[2] < ends[1]) return "";  // whose rows those of group 0 are, nobody knows
    for (index row = 0; row < 20; ++row)
        for (index column = 0; column < n; ++column) {
            const double got = value_of(d.at(0, row, column));
            const int line = list[std::size_t(row)];
            double want = 0;
            for (index i = 0; line >= 0 && line < rows_of_a && i < k; ++i)
                want += value_of(a.at(0, line, i)) * value_of(b.at(0, i, column));
            if (!(std::fabs(got - want) <= 0.05 + 0.01 * std::fabs(want)))
                return "row " + std::to_string(row) + " of A's row " + std::to_string(line) + " is wrong";
        }
    return "";
}

template <class Arch>
std::string unlooked_tables() {
    return unlooked_tables<Arch>({20, 25, 1 << 30, 1 << 30}) + unlooked_tables<Arch>({20, 1 << 30, -7, 60});
}

}  // namespace fade::test
