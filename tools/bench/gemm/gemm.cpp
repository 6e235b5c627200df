#include "gemm.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "find.hpp"
#include "peer.hpp"
#include "run.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class gemm_problem_run : public problem_run {
public:
    explicit gemm_problem_run(gemm_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<gemm_runner>())) {}

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        if (request_.peer) find_gemm_peer(request_, device_);
        check_gemm(request_, device_);
        if (!request_.capture) return;
        for (const gemm_problem& p : request_.problems())
            find_planner(request_, device_, call_without_memory(request_, p));
        prepare_capture(request_, device_, keys_of_runners<gemm_runner>());
    }

    answer planned() const override {
        const auto problems = request_.problems();
        std::vector<kernel_choice> choices;
        for (const gemm_problem& p : problems) {
            const gemm_call call = call_without_memory(request_, p);
            choices.push_back(
                find_planner(request_, device_, call).choose(call, device_.arch, device_.number));
        }
        return {.op = "gemm", .asked = &request_, .device = device_, .choice = together(problems, choices)};
    }

    answer run(const on_step& step) const override { return run_gemm(request_, device_, step); }

private:
    gemm_request request_;
    device_choice device_;
};

}  // namespace

int gemm(std::span<const std::string_view> words) {
    problem_runs problems;
    for (gemm_request& r : parse_gemm(words))
        problems.push_back(std::make_unique<gemm_problem_run>(std::move(r)));
    return answer_all(problems);
}

}  // namespace fade::bench
