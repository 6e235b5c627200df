#include "images.hpp"
#include "../hash.hpp"
#include "../list.hpp"
#include "../operation.hpp"
#include "../peer.hpp"
#include "check.hpp"
#include <cstdio>
#include <fade/core/error.hpp>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class image_problem_run : public problem_run {
public:
    explicit image_problem_run(image_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<image_runner>())) {}

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        if (request_.peer) find_peer("images", {}, request_, device_);
        check_memory_of(request_, device_, tensors_of(request_),
                        std::uint64_t(choice(device_.kind, "").workspace_bytes));
    }
    answer planned() const override {
        const std::string kind = planner_kind(device_, keys_of_runners<image_runner>());
        return {.op = "images", .asked = &request_, .device = device_, .choice = choice(kind, device_.arch)};
    }
    answer run(const on_step& step) const override;

private:
    const image_runner& runner(const std::string& kind) const {
        return find_runner<image_runner>("images", request_, kind, call_without_memory(request_));
    }
    /// What would run; what the library refuses is a sentence.
    kernel_choice choice(const std::string& kind, std::string_view arch) const {
        const image_runner& of = runner(kind);
        try {
            return of.choose(call_without_memory(request_), arch, device_.number);
        } catch (const fade::error& e) {
            throw tools::refusal(std::string(e.what()) + ".");
        }
    }
    std::optional<check_result> checked(const image_data& data, const any_session& session) const {
        const auto faults = with_spoilt(session.faults(), request_.spoilt);
        if (!request_.check && !faults.empty())
            throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
        if (!request_.check) return std::nullopt;
        check_result out = check_output(request_, data);
        out.faults = faults;
        return out;
    }

    image_request request_;
    device_choice device_;
};

answer image_problem_run::run(const on_step& step) const {
    const image_request& r = request_;
    answer out{.op = "images", .asked = &r, .device = device_, .operations = operations_of(r)};
    for (const matrix& m : tensors_of(r)) out.bytes += double(m.bytes());
    step("makes inputs", step_part::inputs);
    const image_data data(r);
    const auto session = runner(device_.kind).prepare(data.call(), data.buffers().memory(), device_.number);
    const measured kernels{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    out.choice = runner(device_.kind).choose(data.call(), "", device_.number);
    step("runs", step_part::run);
    const double first = seconds_of([&] { out.choice.report = session->start(), session->wait(); }, r.clock);
    session->fetch();
    make_wrong(r.spoilt, data.buffers(), r.seed);
    for (const buffer& b : data.buffers().all())
        if (b.shape().written) out.checksum = mixed(out.checksum ^ checksum(b));
    step("checks", step_part::check);
    out.check = checked(data, *session);
    session->rotate(sets_of_memory(r, device_, data.buffers().bytes()));
    out.time = time_of(kernels, first, r.samples, measuring_part(step));
    return out;
}

}  // namespace

int images(std::span<const std::string_view> words) {
    problem_runs problems;
    for (image_request& r : parse_images(words))
        problems.push_back(std::make_unique<image_problem_run>(std::move(r)));
    return answer_all(problems);
}

void print_images_list() {
    std::puts("images");
    print_held(keys_of_runners<image_runner>(), {});
    const auto names = image_operator_names();
    print_line("operators", {names.begin(), names.end()});
}

void print_images_help() {
    std::printf(
        "fade-bench images --op NAME --device DEV --dtype TYPE --n N --c N --in SIZES [options]\n\n"
        "Runs an operator over images, or its gradients, and says what ran, how long it took and whether it "
        "is right.\n\n%s\n"
        "batch_norm is that of training: y, and the mean and inverse root of this batch. --check compares "
        "every result with a\n"
        "reference in double precision, by ||out - ref|| / ||ref||. Where that would take more than some "
        "seconds it compares\n"
        "planes chosen at random (channels of batch_norm, images of the gradients of grid_sample), and says "
        "how many. The\n"
        "rate is bytes: each tensor read or written once.\n"
        "Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
        tools::help_lines(image_options_known()).c_str());
}

}  // namespace fade::bench
