#include "gemm.hpp"
#include <nlohmann/json.hpp>
#include "capture.hpp"
#include "find.hpp"
#include "peer.hpp"
#include "run.hpp"

namespace fade::bench {
namespace {

answer planned(const gemm_request& r, const device_choice& device) {
    const auto problems = r.problems();
    std::vector<kernel_choice> choices;
    for (const gemm_problem& p : problems) {
        const gemm_call call = call_without_memory(r, p);
        choices.push_back(find_planner(r, device, call).choose(call, device.arch, device.number));
    }
    return {.op = "gemm", .asked = &r, .device = device, .choice = together(problems, choices)};
}

/// What must hold before any work is done.
void check_possible(const gemm_request& r, const device_choice& device) {
    if (r.peer) find_gemm_peer(r, device);
    if (!r.capture) return;
    for (const gemm_problem& p : r.problems()) find_planner(r, device, call_without_memory(r, p));
    prepare_capture(r, device, keys_of_runners<gemm_runner>());
}

}  // namespace

int gemm(std::span<const std::string_view> words) {
    const gemm_request request = parse_gemm(words);
    const device_choice device = find_device(request.device, keys_of_runners<gemm_runner>());
    check_possible(request, device);
    return print_answer(request.plan ? planned(request, device) : run_gemm(request, device), problem_of(request));
}

}  // namespace fade::bench
