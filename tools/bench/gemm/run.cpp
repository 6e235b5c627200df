#include "run.hpp"
#include <algorithm>
#include "../hash.hpp"
#include "capture.hpp"
#include "check.hpp"
#include "find.hpp"
#include "peer.hpp"

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
        check_memory(matrices_of_all(problems), workspace_bytes(problems));
        for (std::size_t g = 0; g < problems.size(); ++g) {
            data_.emplace_back(r, problems[g], index(g));
            const gemm_runner& runner = find_runner(r, device.kind, data_[g].call());
            choices_.push_back(runner.choose(data_[g].call(), "", device.number));
            sessions_.push_back(runner.prepare(data_[g].call(), data_[g].buffers().memory(), device.number));
        }
    }

    bench::answer answer() {
        bench::answer out{.op = "gemm", .asked = &request_, .device = device_, .operations = operations_of(request_)};
        const double first = seconds_of([this] { run_once(); });
        out.choice = together(request_.problems(), choices_);
        for (auto& s : sessions_) s->fetch();
        out.checksum = mixed(0);
        for (const gemm_data& d : data_) out.checksum = mixed(out.checksum ^ checksum(d.output()));
        out.check = checked();
        if (request_.capture) write_capture(request_, device_, data_);
        if (request_.peer) compare_with_peer(out);
        else out.ms = median_ms(all_sessions(), first);
        return out;
    }

private:
    std::vector<matrix> matrices_of_all(const std::vector<gemm_problem>& problems) const {
        std::vector<matrix> out;
        for (const gemm_problem& p : problems) std::ranges::move(matrices_of(request_, p), std::back_inserter(out));
        return out;
    }

    /// What the kernels need beside the matrices; a problem that cannot be is refused here, before any memory is taken.
    std::uint64_t workspace_bytes(const std::vector<gemm_problem>& problems) const {
        std::uint64_t out = 0;
        for (const gemm_problem& p : problems) {
            const gemm_call call = call_without_memory(request_, p);
            out += std::uint64_t(find_runner(request_, device_.kind, call).choose(call, "", device_.number).workspace_bytes);
        }
        return out;
    }

    void run_once() {
        for (std::size_t g = 0; g < sessions_.size(); ++g) {
            choices_[g].report = sessions_[g]->start();
            sessions_[g]->wait();
        }
    }

    measured all_sessions() {
        return {[this] { for (auto& s : sessions_) s->start(); }, [this] { for (auto& s : sessions_) s->wait(); }, request_.clock};
    }

    std::optional<check_result> checked() const {
        std::optional<check_result> out;
        for (std::size_t g = 0; g < data_.size(); ++g) {
            const auto faults = sessions_[g]->faults();
            if (!request_.check && !faults.empty()) throw tools::refusal("The emulated kernel is faulty: " + faults[0] + ".");
            if (!request_.check) continue;
            check_result one = check_output(request_, data_[g]);
            one.faults = faults;
            out = out ? worst(*out, one) : one;
        }
        return out;
    }

    void compare_with_peer(bench::answer& out) {
        const gemm_peer& other = find_gemm_peer(request_, device_);
        const measured theirs = other.prepare(sessions_[0]->there(), *request_.in);
        measure_with_peer(out, other.name, all_sessions(), theirs, *sessions_[0], data_[0].output(), 4 * error_bound(request_, data_[0].problem()));
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
        out.report.why += "; of " + std::to_string(choices.size()) + " problems, run one after the other, this is the largest";
    return out;
}

double operations_of(const gemm_request& r) {
    double out = 0;
    for (const gemm_problem& p : r.problems()) out += 2 * double(p.m) * double(p.n) * double(p.k) * double(p.batch);
    return out;
}

answer run_gemm(const gemm_request& request, const device_choice& device) { return gemm_run(request, device).answer(); }

}  // namespace fade::bench
