#include "run.hpp"
#include "../hash.hpp"
#include "../operation.hpp"
#include "check.hpp"
#include "peer.hpp"
#include <fade/core/error.hpp>

namespace fade::bench {
namespace {

/// Two operations a product; nothing else counts.
double operations_of(const product_request& r) {
    const double first = 2.0 * double(r.rows_of_groups()) * double(r.columns_of_b()) * double(r.k);
    if (r.op == product_kind::batched_gemm) return double(r.batch) * first;
    return r.op == product_kind::moe ? first + 2.0 * double(r.rows_of_groups()) * double(r.n) * double(r.k)
                                     : first;
}

/// Each matrix read or written once; what lies between the steps of a mixture does not count.
double bytes_of(const product_request& r) {
    double out = 0;
    for (const matrix& m : matrices_of(r))
        if (!m.written || m.name == "d") out += double(m.bytes());
    return out;
}

std::optional<check_result> checked(const product_request& r, const product_data& data,
                                    const any_session& session) {
    const auto faults = with_spoilt(session.faults(), r.spoilt);
    if (!r.check && !faults.empty())
        throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
    if (!r.check) return std::nullopt;
    check_result out = check_output(r, data);
    out.faults = faults;
    return out;
}

std::string asked_words(const product_request& r) {
    return std::string(name_of(r.op)) + (r.format ? " (" + std::string(name_of(*r.format)) + ")" : "");
}

}  // namespace

const product_runner& find_runner(const product_request& r, const std::string& device) {
    check_clock(r, device);
    std::vector<runner_key> held;
    for (const auto& one : runners<product_runner>()) {
        if (!one->takes({.op = r.op, .format = r.format})) continue;
        const runner_key& k = one->key();
        if (k.device == device && k.in == r.in->type && k.out == r.out->type) return *one;
        held.push_back(k);
    }
    refuse_types(asked_words(r), r, device, held);
}

kernel_choice choice_of(const product_request& r, const device_choice& device) {
    const product_runner& runner =
        find_runner(r, r.plan ? planner_kind(device, keys_of_runners<product_runner>()) : device.kind);
    try {
        return runner.choose(call_without_memory(r), r.plan ? device.arch : "", device.number);
    } catch (const fade::error& e) {
        throw tools::refusal(std::string(e.what()) + ".");
    }
}

answer run_product(const product_request& r, const device_choice& device, const on_step& step) {
    answer out{.op = "products", .asked = &r, .device = device, .operations = operations_of(r)};
    out.bytes = bytes_of(r);
    const product_runner& runner = find_runner(r, device.kind);
    step("makes inputs", step_part::inputs);
    const product_data data(r);
    const auto session = runner.prepare(data.call(), data.buffers().memory(), device.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    out.choice = runner.choose(data.call(), "", device.number);
    step("runs", step_part::run);
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); }, r.clock);
    session->fetch();
    make_wrong(r.spoilt, data.buffers(), r.seed);
    for (std::string_view name : products_written(r))
        out.checksum = mixed(out.checksum ^ checksum(*data.buffers().find(name)));
    step("checks", step_part::check);
    out.check = checked(r, data, *session);
    session->rotate(sets_of_memory(r, device, data.buffers().bytes()));
    if (r.peer)
        measure_with_dense(out, r, data, kernels, measuring_part(step));
    else
        out.time = time_of(kernels, first, r.samples, measuring_part(step));
    return out;
}

}  // namespace fade::bench
