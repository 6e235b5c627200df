#include "run.hpp"
#include "../hash.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "check.hpp"
#include "peer.hpp"
#include "reference.hpp"
#include <fade/core/error.hpp>

namespace fade::bench {
namespace {

const conv_runner& runner_for(const conv_request& r, const std::string& kind) {
    return find_runner<conv_runner>("conv", r, kind, call_without_memory(r));
}

/// What would run; what the library refuses is a sentence.
kernel_choice choice_of(const conv_request& r, const device_choice& device, const std::string& kind,
                        std::string_view arch) {
    const conv_runner& runner = runner_for(r, kind);
    try {
        return runner.choose(call_without_memory(r), arch, device.number);
    } catch (const fade::error& e) {
        throw tools::refusal(std::string(e.what()) + ".");
    }
}

std::optional<check_result> checked(const conv_request& r, const conv_data& data,
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

answer plan_conv(const conv_request& r, const device_choice& device) {
    const std::string kind = planner_kind(device, keys_of_runners<conv_runner>());
    return {.op = "conv", .asked = &r, .device = device, .choice = choice_of(r, device, kind, device.arch)};
}

void check_conv(const conv_request& r, const device_choice& device) {
    const kernel_choice choice = choice_of(r, device, device.kind, "");
    const tools::big_size beside = tools::big_size{std::uint64_t(choice.workspace_bytes)} +
                                   tools::big_size{r.check ? reference_bytes(r) : 0};
    check_memory_of(r, device, matrices_of(r), beside.value);
}

answer run_conv(const conv_request& r, const device_choice& device, const on_step& step) {
    answer out{.op = "conv", .asked = &r, .device = device, .operations = operations_of(r)};
    const conv_runner& runner = runner_for(r, device.kind);
    step("makes inputs", step_part::inputs);
    const conv_data data(r);
    const auto session = runner.prepare(data.call(), data.buffers().memory(), device.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    out.choice = runner.choose(data.call(), "", device.number);
    step("runs", step_part::run);
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); }, r.clock);
    session->fetch();
    make_wrong(r.spoilt, data.buffers(), r.seed);
    out.checksum = mixed(checksum(data.result()));
    step("checks", step_part::check);
    out.check = checked(r, data, *session);
    if (r.capture) write_capture(r, device, data);
    const on_part measuring = measuring_part(step);
    session->rotate(sets_of_memory(r, device, data.buffers().bytes()));
    if (!r.peer) {
        out.time = time_of(kernels, first, r.samples, measuring);
        return out;
    }
    const peer& other = find_conv_peer(r, device);
    measure_with_peer(out, other, kernels, prepared("conv", other, session->there(), *r.in), *session,
                      data.result(), 4 * error_bound(r), measuring);
    return out;
}

}  // namespace fade::bench
