#include "capture.hpp"
#include "check.hpp"
#include "reference.hpp"
#include <algorithm>
#include <numeric>

namespace fade::bench {
namespace {

struct expectation {
    std::vector<double> o, lse;
};

expectation expected(const attention_request& r, const attention_data& data) {
    expectation out{untouched_values(data.output().shape()), untouched_values(data.lse().shape())};
    const index dim = r.value_dim();
    std::vector<index> all(out.lse.size());
    std::iota(all.begin(), all.end(), 0);
    compute_reference(r, data, all, [&](const reference_queries& some) {
        for (index i = 0; i < some.count; ++i) {
            std::copy_n(some.o + i * dim, dim,
                        &out.o[data.query_row(some.batch, some.queries[i], some.head) * dim]);
            out.lse[(some.batch * r.heads + some.head) * r.seq_q + some.queries[i]] = some.lse[i];
        }
    });
    return out;
}

}  // namespace

const attention_runner& find_planner(const attention_request& r, const device_choice& device) {
    return find_runner<attention_runner>(
        "attention", r, planner_kind(device, keys_of_runners<attention_runner>()), call_without_memory(r));
}

void write_capture(const attention_request& r, const device_choice& device, const attention_data& data) {
    capture out(*r.capture, device.arch);
    const attention_bounds bounds = bounds_of(r);
    const expectation want = expected(r, data);
    out.add_buffers(data.buffers());
    out.add_launches(choose_with_workspace(find_planner(r, device), device, data.call()));
    out.expect(data.output(), want.o, bounds.o);
    out.expect(data.lse(), want.lse, bounds.lse);
    out.write();
}

}  // namespace fade::bench
