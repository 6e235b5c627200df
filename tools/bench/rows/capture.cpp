#include "capture.hpp"
#include "check.hpp"
#include "reference.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

using results = std::map<std::string_view, std::vector<double>>;

/// What a row or column is to be, where it lies.
void put(results& to, const buffer& b, const rows_request& r, index line, const std::vector<double>& values) {
    const matrix& m = b.shape();
    std::vector<double>& all = to[m.name];
    if (all.empty()) all = untouched_values(m);
    const line_place at = place_of(r, m, line, index(values.size()));
    for (index i = 0; i < at.count; ++i) all[std::size_t(at.first + i * at.step)] = values[std::size_t(i)];
}

results expected(const rows_request& r, const rows_data& data) {
    results out;
    weight_gradients weights(r.backward && r.norm() ? r.columns : 0);
    for (index line = 0; line < r.lines(); ++line)
        for (const auto& [name, values] : reference_of(r, data, line, weights))
            put(out, *data.buffers().find(name), r, line, values.value);
    if (const buffer* b = data.buffers().find("dweight")) put(out, *b, r, 0, weights.dweight.value);
    if (const buffer* b = data.buffers().find("dbias")) put(out, *b, r, 0, weights.dbias.value);
    return out;
}

}  // namespace

void write_capture(const rows_request& r, const device_choice& device, const rows_data& data) {
    capture out(*r.capture, device.arch);
    const results want = expected(r, data);
    out.add_buffers(data.buffers());
    const rows_runner& planner = find_runner<rows_runner>(
        "rows", r, planner_kind(device, keys_of_runners<rows_runner>()), call_without_memory(r));
    out.add_launches(choose_with_workspace(planner, device, data.call()));
    for (const buffer& b : data.buffers().all())
        if (const auto values = want.find(b.shape().name); values != want.end())
            out.expect(b, values->second, error_bound(r, b.shape()));
    out.write();
}

}  // namespace fade::bench
