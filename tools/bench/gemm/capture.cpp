#include "capture.hpp"
#include "check.hpp"
#include "find.hpp"
#include "reference.hpp"
#include <algorithm>
#include <numeric>

namespace fade::bench {
namespace {

/// The reference as D lies in memory; between its rows what a replay finds there.
std::vector<double> expected_output(const gemm_request& r, const gemm_data& data) {
    const matrix& m = data.output().shape();
    std::vector<double> out = untouched_values(m);
    if (m.empty()) return out;
    std::vector<index> rows(m.rows);
    std::iota(rows.begin(), rows.end(), 0);
    compute_reference(r, data, rows, [&](const reference_tile& t) {
        for (index i = 0; i < t.row_count; ++i)
            std::copy_n(t.values + i * t.column_count, t.column_count,
                        &out[m.at(t.batch, t.rows[i], t.first_column)]);
    });
    return out;
}

}  // namespace

void write_capture(const gemm_request& r, const device_choice& device,
                   const std::vector<gemm_data>& problems) {
    capture out(*r.capture, device.arch);
    for (std::size_t g = 0; g < problems.size(); ++g) {
        const gemm_data& data = problems[g];
        const std::string number =
            g ? std::to_string(g) : "";  // of further problems of a group, behind the names
        out.add_buffers(data.buffers(), number);
        out.add_launches(choose_with_workspace(find_planner(r, device, data.call()), device, data.call()),
                         number);
        out.expect(data.output(), expected_output(r, data), error_bound(r, data.problem()), number);
    }
    out.write();
}

}  // namespace fade::bench
