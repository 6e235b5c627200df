#include "gemm.hpp"
#include <cstdio>
#include "capture.hpp"
#include "peer.hpp"
#include "run.hpp"

namespace fade::bench {
namespace {

gemm_answer planned(const gemm_request& r, const device_choice& device) {
    const auto problems = r.problems();
    std::vector<gemm_choice> choices;
    for (const gemm_problem& p : problems) {
        const gemm_call call = call_without_memory(r, p);
        choices.push_back(find_planner(r, device, call).choose(call, device.arch, device.number));
    }
    return {.request = &r, .device = device, .choice = together(problems, choices)};
}

/// What must hold before any work is done.
void check_possible(const gemm_request& r, const device_choice& device) {
    if (r.peer) find_peer(r, device);
    if (!r.capture) return;
    if (device.arch.empty()) throw tools::refusal("--capture writes launches of an emulated:ARCH device, and not of " + device.name + ".");
    if (!holds_compiled_code()) throw tools::refusal("--capture needs compiled code for AMD GPUs; scripts/build hip makes a fade-bench that has it.");
    for (const gemm_problem& p : r.problems()) find_planner(r, device, call_without_memory(r, p));
    prepare_capture(*r.capture);
}

}  // namespace

int gemm(std::span<const std::string_view> words) {
    const gemm_request request = parse_gemm(words);
    const device_choice device = find_device(request.device);
    check_possible(request, device);
    const gemm_answer answer = request.plan ? planned(request, device) : run_gemm(request, device);
    std::puts((request.json ? as_json(answer) : as_text(answer)).c_str());
    return answer.check && !answer.check->ok() ? tools::check_failed : tools::done;
}

}  // namespace fade::bench
