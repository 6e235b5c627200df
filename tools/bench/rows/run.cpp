#include "run.hpp"
#include "../hash.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "check.hpp"
#include <fade/core/error.hpp>

namespace fade::bench {
namespace {

const rows_runner& runner_for(const rows_request& r, const std::string& kind) {
    return find_runner<rows_runner>("rows", r, kind, call_without_memory(r));
}

/// What would run; what the library refuses is a sentence.
kernel_choice choice_of(const rows_request& r, const device_choice& device, const std::string& kind,
                        std::string_view arch) {
    const rows_runner& runner = runner_for(r, kind);
    try {
        return runner.choose(call_without_memory(r), arch, device.number);
    } catch (const fade::error& e) {
        throw tools::refusal(std::string(e.what()) + ".");
    }
}

std::optional<check_result> checked(const rows_request& r, const rows_data& data,
                                    const any_session& session) {
    const auto faults = with_spoilt(session.faults(), r.spoilt);
    if (!r.check && !faults.empty())
        throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
    if (!r.check) return std::nullopt;
    check_result out = check_output(r, data);
    out.faults = faults;
    return out;
}

/// Each tensor, read or written once.
double bytes_of(const rows_request& r) {
    double out = 0;
    for (const matrix& m : tensors_of(r)) out += double(m.bytes());
    return out;
}

}  // namespace

answer plan_rows(const rows_request& r, const device_choice& device) {
    const std::string kind = planner_kind(device, keys_of_runners<rows_runner>());
    return {.op = "rows", .asked = &r, .device = device, .choice = choice_of(r, device, kind, device.arch)};
}

void check_rows(const rows_request& r, const device_choice& device) {
    const kernel_choice choice = choice_of(r, device, device.kind, "");
    check_memory_of(r, device, tensors_of(r), std::uint64_t(choice.workspace_bytes));
}

answer run_rows(const rows_request& r, const device_choice& device, const on_step& step) {
    answer out{.op = "rows", .asked = &r, .device = device, .operations = operations_of(r)};
    out.bytes = bytes_of(r);
    const rows_runner& runner = runner_for(r, device.kind);
    step("makes inputs", step_part::inputs);
    const rows_data data(r);
    const auto session = runner.prepare(data.call(), data.buffers().memory(), device.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    out.choice = runner.choose(data.call(), "", device.number);
    if (r.capture) write_capture(r, device, data);
    step("runs", step_part::run);
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); }, r.clock);
    session->fetch();
    make_wrong(r.spoilt, data.buffers(), r.seed);
    for (const buffer& b : data.buffers().all())
        if (b.shape().written) out.checksum = mixed(out.checksum ^ checksum(b));
    step("checks", step_part::check);
    out.check = checked(r, data, *session);
    session->rotate(sets_of_memory(r, device, data.buffers().bytes()));
    out.time = time_of(kernels, first, r.samples, measuring_part(step));
    return out;
}

}  // namespace fade::bench
