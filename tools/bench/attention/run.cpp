#include "run.hpp"
#include "../hash.hpp"
#include "capture.hpp"
#include "check.hpp"
#include "peer.hpp"

namespace fade::bench {
namespace {

/// The runner, once the library has taken the problem and there is memory for it.
const attention_runner& runner_for(const attention_request& r, const device_choice& device, kernel_choice& choice) {
    const attention_call call = call_without_memory(r);
    const auto& runner = find_runner<attention_runner>("attention", r, device.kind, call);
    choice = runner.choose(call, "", device.number);
    check_memory(tensors_of(r), std::uint64_t(choice.workspace_bytes));
    return runner;
}

std::optional<check_result> checked(const attention_request& r, const attention_data& data, const any_session& session) {
    const auto faults = session.faults();
    if (!r.check && !faults.empty()) throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
    if (!r.check) return std::nullopt;
    check_result out = check_output(r, data);
    out.faults = faults;
    return out;
}

}  // namespace

answer run_attention(const attention_request& r, const device_choice& device) {
    answer out{.op = "attention", .asked = &r, .device = device, .operations = operations_of(r)};
    const attention_runner& runner = runner_for(r, device, out.choice);
    const attention_data data(r);
    const auto session = runner.prepare(data.call(), data.buffers().memory(), device.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); });
    session->fetch();
    out.checksum = mixed(checksum(data.output()));
    out.check = checked(r, data, *session);
    if (r.capture) write_capture(r, device, data);
    if (!r.peer) {
        out.ms = median_ms(kernels, first);
        return out;
    }
    const attention_peer& other = find_attention_peer(r, device);
    measure_with_peer(out, other.says, kernels, other.prepare(session->there(), *r.in), *session, data.output(), 4 * bounds_of(r).o);
    return out;
}

}  // namespace fade::bench
