#include "run.hpp"
#include <algorithm>
#include <cmath>
#include "capture.hpp"
#include "hash.hpp"
#include "peer.hpp"
#include "timing.hpp"

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

double difference(const buffer& from, const std::vector<std::byte>& before) {
    const matrix& m = from.shape();
    std::vector<double> now(m.columns), then(m.columns);
    double error = 0, norm = 0;
    for (index i = 0; i < m.batch * m.rows && m.columns > 0; ++i) {
        m.type->decode(from.data(), i * m.row, 1, m.columns, now.data());
        m.type->decode(before.data(), i * m.row, 1, m.columns, then.data());
        for (index j = 0; j < m.columns; ++j) error += (now[j] - then[j]) * (now[j] - then[j]), norm += then[j] * then[j];
    }
    return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
}

/// All problems of a request on their device, with the runs that were made of them.
class gemm_run {
public:
    gemm_run(const gemm_request& r, const device_choice& device) : request_(r), device_(device) {
        const auto problems = r.problems();
        check_memory(r, workspace_bytes(problems));
        for (std::size_t g = 0; g < problems.size(); ++g) {
            data_.emplace_back(r, problems[g], index(g));
            const gemm_runner& runner = find_runner(r, device.kind, data_[g].call());
            choices_.push_back(runner.choose(data_[g].call(), "", device.number));
            sessions_.push_back(runner.prepare(data_[g].call(), data_[g].memory(), device.number));
        }
    }

    gemm_answer answer() {
        gemm_answer out{.request = &request_, .device = device_};
        const double first = seconds_of([this] { run_once(); });
        out.choice = together(request_.problems(), choices_);
        for (auto& s : sessions_) s->fetch();
        out.checksum = mixed(0);
        for (const gemm_data& d : data_) out.checksum = mixed(out.checksum ^ checksum(d.output()));
        out.check = checked();
        if (request_.capture) write_capture(*request_.capture, request_, device_, data_);
        if (request_.peer) measure_with_peer(out);
        else out.ms = median_ms(all_sessions(), first);
        return out;
    }

private:
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
        return {[this] { for (auto& s : sessions_) s->start(); }, [this] { for (auto& s : sessions_) s->wait(); }};
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

    void measure_with_peer(gemm_answer& out) {
        const peer& other = find_peer(request_, device_);
        const buffer& d = data_[0].output();
        const measured theirs = other.prepare(sessions_[0]->there(), *request_.in);
        const std::vector<std::byte> ours(d.data(), d.data() + d.shape().bytes());
        d.poison(), sessions_[0]->reset();
        theirs.start(), theirs.wait();
        sessions_[0]->fetch();
        const double apart = difference(d, ours);
        if (!(apart <= 4 * error_bound(request_, data_[0].problem())))
            throw tools::refusal("--vs is " + other.name + ", whose result for this problem differs from FADE's.");
        const two_medians ms = interleaved_ms(all_sessions(), theirs);
        out.ms = ms.one;
        out.peer = {other.name, ms.other, ms.other / ms.one, apart};
    }

    const gemm_request& request_;
    const device_choice& device_;
    std::vector<gemm_data> data_;
    std::vector<gemm_choice> choices_;
    std::vector<std::unique_ptr<gemm_session>> sessions_;
};

}  // namespace

gemm_choice together(const std::vector<gemm_problem>& problems, const std::vector<gemm_choice>& choices) {
    gemm_choice out = choices[largest(problems)];
    out.launches.clear(), out.workspace_bytes = 0;
    for (const gemm_choice& c : choices) {
        out.launches.insert(out.launches.end(), c.launches.begin(), c.launches.end());
        out.workspace_bytes = std::max(out.workspace_bytes, c.workspace_bytes);
    }
    if (choices.size() > 1)
        out.report.why += "; of " + std::to_string(choices.size()) + " problems, run one after the other, this is the largest";
    return out;
}

gemm_answer run_gemm(const gemm_request& request, const device_choice& device) { return gemm_run(request, device).answer(); }

}  // namespace fade::bench
