#include "attention.hpp"
#include <nlohmann/json.hpp>
#include "capture.hpp"
#include "peer.hpp"
#include "run.hpp"

namespace fade::bench {
namespace {

answer planned(const attention_request& r, const device_choice& device) {
    return {.op = "attention", .asked = &r, .device = device, .choice = find_planner(r, device).choose(call_without_memory(r), device.arch, device.number)};
}

/// What must hold before any work is done.
void check_possible(const attention_request& r, const device_choice& device) {
    if (r.peer) find_attention_peer(r, device);
    if (!r.capture) return;
    find_planner(r, device);
    prepare_capture(r, device, keys_of_runners<attention_runner>());
}

}  // namespace

int attention(std::span<const std::string_view> words) {
    const attention_request request = parse_attention(words);
    const device_choice device = find_device(request.device, keys_of_runners<attention_runner>());
    check_possible(request, device);
    return print_answer(request.plan ? planned(request, device) : run_attention(request, device), problem_of(request));
}

}  // namespace fade::bench
