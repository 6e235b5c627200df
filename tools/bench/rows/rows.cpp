#include "rows.hpp"
#include "../operation.hpp"
#include "../peer.hpp"
#include "capture.hpp"
#include "run.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class rows_problem_run : public problem_run {
public:
    explicit rows_problem_run(rows_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<rows_runner>())) {}

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        if (request_.peer) find_peer("rows", {}, request_, device_);
        check_rows(request_, device_);
        if (request_.capture) prepare_capture(request_, device_, keys_of_runners<rows_runner>());
    }
    answer planned() const override { return plan_rows(request_, device_); }
    answer run(const on_step& step) const override { return run_rows(request_, device_, step); }

private:
    rows_request request_;
    device_choice device_;
};

}  // namespace

int rows(std::span<const std::string_view> words) {
    problem_runs problems;
    for (rows_request& r : parse_rows(words))
        problems.push_back(std::make_unique<rows_problem_run>(std::move(r)));
    return answer_all(problems);
}

}  // namespace fade::bench
