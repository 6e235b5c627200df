#include "../hash.hpp"
#include "../list.hpp"
#include "../operation.hpp"
#include "../peer.hpp"
#include "data.hpp"
#include "primitives.hpp"
#include <cstdio>
#include <fade/core/error.hpp>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class primitive_problem_run : public problem_run {
public:
    explicit primitive_problem_run(primitive_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<primitive_runner>())) {
    }

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        if (request_.peer) find_peer("primitives", {}, request_, device_);
        check_memory_of(request_, device_, lists_of(request_), std::uint64_t(choice().workspace_bytes));
    }
    answer planned() const override {
        return {.op = "primitives", .asked = &request_, .device = device_, .choice = choice()};
    }
    answer run(const on_step& step) const override;

private:
    const primitive_runner& runner() const {
        return find_runner<primitive_runner>("primitives", request_, device_.kind,
                                             call_without_memory(request_));
    }
    kernel_choice choice() const {
        try {
            return runner().choose(call_without_memory(request_), "", device_.number);
        } catch (const fade::error& e) {
            throw tools::refusal(std::string(e.what()) + ".");
        }
    }

    primitive_request request_;
    device_choice device_;
};

answer primitive_problem_run::run(const on_step& step) const {
    const primitive_request& r = request_;
    answer out{.op = "primitives", .asked = &r, .device = device_, .operations = double(r.count)};
    for (const matrix& m : lists_of(r)) out.bytes += double(m.bytes());
    step("makes inputs", step_part::inputs);
    const primitive_data data(r);
    const auto session = runner().prepare(data.call(), data.buffers().memory(), device_.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    out.choice = choice();
    step("runs", step_part::run);
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); }, r.clock);
    session->fetch();
    make_wrong(r.spoilt, data.buffers(), r.seed);
    for (const buffer& b : data.buffers().all())
        if (b.shape().written) out.checksum = mixed(out.checksum ^ checksum(b));
    step("checks", step_part::check);
    if (r.check) out.check = check_output(r, data), out.check->faults = with_spoilt({}, r.spoilt);
    session->rotate(sets_of_memory(r, device_, data.buffers().bytes()));
    out.time = time_of(kernels, first, r.samples, measuring_part(step));
    return out;
}

}  // namespace

int primitives(std::span<const std::string_view> words) {
    problem_runs problems;
    for (primitive_request& r : parse_primitives(words))
        problems.push_back(std::make_unique<primitive_problem_run>(std::move(r)));
    return answer_all(problems);
}

void print_primitives_list() {
    std::puts("primitives");
    print_held(keys_of_runners<primitive_runner>(), {});
    const auto names = primitive_names();
    print_line("operators", {names.begin(), names.end()});
}

void print_primitives_help() {
    std::printf(
        "fade-bench primitives --op NAME --device DEV --dtype TYPE --count N [options]\n\n"
        "Runs a primitive over one list and says who computed, how long it took and whether it is right.\n\n"
        "%s\n"
        "scan is inclusive, reduce and segmented_reduce are sums, in segments of 256 elements on average; "
        "select keeps half,\n"
        "histogram has 256 bins in [-4, 4). --check compares every result with a reference in double "
        "precision; what is no sum\n"
        "of floats is exact. The rate is bytes: each list read or written once.\n"
        "Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
        tools::help_lines(primitive_options_known()).c_str());
}

}  // namespace fade::bench
