#include "attention.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "peer.hpp"
#include "run.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class attention_problem_run : public problem_run {
public:
    explicit attention_problem_run(attention_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<attention_runner>())) {
    }

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        if (request_.peer) find_attention_peer(request_, device_);
        check_attention(request_, device_);
        if (!request_.capture) return;
        find_planner(request_, device_);
        prepare_capture(request_, device_, keys_of_runners<attention_runner>());
    }

    answer planned() const override {
        return {.op = "attention",
                .asked = &request_,
                .device = device_,
                .choice = find_planner(request_, device_)
                              .choose(call_without_memory(request_), device_.arch, device_.number)};
    }

    answer run(const on_step& step) const override { return run_attention(request_, device_, step); }

private:
    attention_request request_;
    device_choice device_;
};

}  // namespace

int attention(std::span<const std::string_view> words) {
    problem_runs problems;
    for (attention_request& r : parse_attention(words))
        problems.push_back(std::make_unique<attention_problem_run>(std::move(r)));
    return answer_all(problems);
}

}  // namespace fade::bench
