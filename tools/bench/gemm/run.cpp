#include "run.hpp"
#include "../hash.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "check.hpp"
#include "find.hpp"
#include "peer.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

/// The number of the problem with the most work.
std::size_t largest(const std::vector<gemm_problem>& problems) {
    const auto work = [](const gemm_problem& p) { return double(p.m) * double(p.n) * double(p.k); };
    std::size_t out = 0;
    for (std::size_t i = 1; i < problems.size(); ++i)
        if (work(problems[i]) > work(problems[out])) out = i;
    return out;
}

/// All problems of a request on their device, with the runs that were made of them.
class gemm_run {
public:
    gemm_run(const gemm_request& r, const device_choice& device) : request_(r), device_(device) {
        const auto problems = r.problems();
        for (std::size_t g = 0; g < problems.size(); ++g) {
            data_.emplace_back(r, problems[g], index(g));
            const gemm_runner& runner = find_runner(r, device.kind, data_[g].call());
            choices_.push_back(runner.choose(data_[g].call(), "", device.number));
            sessions_.push_back(runner.prepare(data_[g].call(), data_[g].buffers().memory(), device.number));
        }
    }

    bench::answer answer(const on_step& step) {
        bench::answer out{
            .op = "gemm", .asked = &request_, .device = device_, .operations = operations_of(request_)};
        step("runs", step_part::run);
        const double first = seconds_of([this] { run_once(); }, request_.clock);
        out.choice = together(request_.problems(), choices_);
        for (auto& s : sessions_) s->fetch();
        make_wrong(request_.spoilt, data_[mixed(request_.seed) % data_.size()].buffers(), request_.seed);
        out.checksum = mixed(0);
        for (const gemm_data& d : data_) out.checksum = mixed(out.checksum ^ checksum(d.output()));
        step("checks", step_part::check);
        out.check = checked();
        if (request_.capture) write_capture(request_, device_, data_);
        rotate();
        if (request_.peer)
            compare_with_peer(out, measuring_part(step));
        else
            out.time = time_of(all_sessions(), first, request_.samples, measuring_part(step));
        return out;
    }

private:
    void rotate() {
        std::uint64_t bytes = 0;
        for (const gemm_data& d : data_) bytes += d.buffers().bytes();
        for (auto& s : sessions_) s->rotate(sets_of_memory(request_, device_, bytes));
    }

    void run_once() {
        for (std::size_t g = 0; g < sessions_.size(); ++g) {
            choices_[g].report = sessions_[g]->start();
            sessions_[g]->wait();
        }
    }

    measured all_sessions() {
        return {[this] {
                    for (auto& s : sessions_) s->start();
                },
                [this] {
                    for (auto& s : sessions_) s->wait();
                },
                request_.clock};
    }

    std::optional<check_result> checked() const {
        std::optional<check_result> out;
        for (std::size_t g = 0; g < data_.size(); ++g) {
            const auto faults = with_spoilt(sessions_[g]->faults(), request_.spoilt);
            if (!request_.check && !faults.empty())
                throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
            if (!request_.check) continue;
            check_result one = check_output(request_, data_[g]);
            one.faults = faults;
            out = out ? worst(*out, one) : one;
        }
        return out;
    }

    void compare_with_peer(bench::answer& out, const on_part& done) {
        const peer& other = find_gemm_peer(request_, device_);
        const measured theirs = prepared("gemm", other, sessions_[0]->there(), *request_.in);
        measure_with_peer(out, other, all_sessions(), theirs, *sessions_[0], data_[0].output(),
                          4 * error_bound(request_, data_[0].problem()), done);
    }

    const gemm_request& request_;
    const device_choice& device_;
    std::vector<gemm_data> data_;
    std::vector<kernel_choice> choices_;
    std::vector<std::unique_ptr<session<gemm_call>>> sessions_;
};

}  // namespace

kernel_choice together(const std::vector<gemm_problem>& problems, const std::vector<kernel_choice>& choices) {
    kernel_choice out = choices[largest(problems)];
    out.launches.clear(), out.workspace_bytes = 0;
    for (const kernel_choice& c : choices) {
        out.launches.insert(out.launches.end(), c.launches.begin(), c.launches.end());
        out.workspace_bytes = std::max(out.workspace_bytes, c.workspace_bytes);
    }
    if (choices.size() > 1)
        out.report.why += "; of " + std::to_string(choices.size()) +
                          " problems, run one after the other, this is the largest";
    return out;
}

double operations_of(const gemm_request& r) {
    double out = 0;
    for (const gemm_problem& p : r.problems())
        out += 2 * double(p.m) * double(p.n) * double(p.k) * double(p.batch);
    return out;
}

void check_gemm(const gemm_request& r, const device_choice& device) {
    std::vector<matrix> all;
    for (const gemm_problem& p : r.problems()) std::ranges::move(matrices_of(r, p), std::back_inserter(all));
    check_memory_of(r, device, all, 0);
    std::uint64_t workspace = 0;
    for (const gemm_problem& p : r.problems()) {
        const gemm_call call = call_without_memory(r, p);
        workspace +=
            std::uint64_t(find_runner(r, device.kind, call).choose(call, "", device.number).workspace_bytes);
    }
    check_memory_of(r, device, all, workspace);
}

answer run_gemm(const gemm_request& request, const device_choice& device, const on_step& step) {
    step("makes inputs", step_part::inputs);
    return gemm_run(request, device).answer(step);
}

}  // namespace fade::bench
