#include "capture.hpp"
#include "check.hpp"
#include "reference.hpp"
#include <numeric>

namespace fade::bench {
namespace {

std::vector<double> expected(const conv_request& r, const conv_data& data) {
    const conv_tensor t = tensors_of(r).back();
    std::vector<double> out = untouched_values(data.result().shape());
    std::vector<index> all(std::size_t(rows_of(r)));
    std::iota(all.begin(), all.end(), 0);
    compute_reference(r, data, all, [&](const reference_pixel& want) {
        double* to = out.data() + t.first(want.image, want.pixel);
        for (std::size_t c = 0; c < want.channels.size(); ++c) to[index(c) * t.step()] = want.channels[c];
    });
    return out;
}

}  // namespace

void write_capture(const conv_request& r, const device_choice& device, const conv_data& data) {
    capture out(*r.capture, device.arch);
    const std::vector<double> want = expected(r, data);
    out.add_buffers(data.buffers());
    const conv_runner& planner = find_runner<conv_runner>(
        "conv", r, planner_kind(device, keys_of_runners<conv_runner>()), call_without_memory(r));
    out.add_launches(choose_with_workspace(planner, device, data.call()));
    out.expect(data.result(), want, error_bound(r));
    out.write();
}

}  // namespace fade::bench
