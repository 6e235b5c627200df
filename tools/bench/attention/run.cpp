#include "run.hpp"
#include "../hash.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "check.hpp"
#include "peer.hpp"

namespace fade::bench {
namespace {

const attention_runner& runner_for(const attention_request& r, const device_choice& device) {
    return find_runner<attention_runner>("attention", r, device.kind, call_without_memory(r));
}

std::optional<check_result> checked(const attention_request& r, const attention_data& data,
                                    const any_session& session) {
    const auto faults = with_spoilt(session.faults(), r.spoilt);
    if (!r.check && !faults.empty())
        throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
    if (!r.check) return std::nullopt;
    check_result out = check_output(r, data);
    out.faults = faults;
    return out;
}

}  // namespace

void check_attention(const attention_request& r, const device_choice& device) {
    const kernel_choice choice = runner_for(r, device).choose(call_without_memory(r), "", device.number);
    check_memory_of(r, device, tensors_of(r), std::uint64_t(choice.workspace_bytes));
}

answer run_attention(const attention_request& r, const device_choice& device, const on_step& step) {
    answer out{.op = "attention", .asked = &r, .device = device, .operations = operations_of(r)};
    const attention_runner& runner = runner_for(r, device);
    step("makes inputs", step_part::inputs);
    const attention_data data(r);
    const auto session = runner.prepare(data.call(), data.buffers().memory(), device.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    out.choice = runner.choose(data.call(), "", device.number);
    step("runs", step_part::run);
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); }, r.clock);
    session->fetch();
    make_wrong(r.spoilt, data.buffers(), r.seed);
    out.checksum = mixed(checksum(data.output()));
    step("checks", step_part::check);
    out.check = checked(r, data, *session);
    if (r.capture) write_capture(r, device, data);
    const on_part measuring = measuring_part(step);
    session->rotate(sets_of_memory(r, device, data.buffers().bytes()));
    if (!r.peer) {
        out.time = time_of(kernels, first, r.samples, measuring);
        return out;
    }
    const peer& other = find_attention_peer(r, device);
    measure_with_peer(out, other, kernels, prepared("attention", other, session->there(), *r.in), *session,
                      data.output(), 4 * bounds_of(r).o, measuring);
    return out;
}

}  // namespace fade::bench
