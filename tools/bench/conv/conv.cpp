#include "conv.hpp"
#include "../operation.hpp"
#include "capture.hpp"
#include "peer.hpp"
#include "run.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class conv_problem_run : public problem_run {
public:
    explicit conv_problem_run(conv_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<conv_runner>())) {}

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        if (request_.peer) find_conv_peer(request_, device_);
        check_conv(request_, device_);
        if (request_.capture) prepare_capture(request_, device_, keys_of_runners<conv_runner>());
    }
    answer planned() const override { return plan_conv(request_, device_); }
    answer run(const on_step& step) const override { return run_conv(request_, device_, step); }

private:
    conv_request request_;
    device_choice device_;
};

}  // namespace

int conv(std::span<const std::string_view> words) {
    problem_runs problems;
    for (conv_request& r : parse_conv(words))
        problems.push_back(std::make_unique<conv_problem_run>(std::move(r)));
    return answer_all(problems);
}

}  // namespace fade::bench
