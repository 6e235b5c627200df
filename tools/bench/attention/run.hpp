// An attention, run.
#pragma once
#include "../answer.hpp"
#include "request.hpp"

namespace fade::bench {

/// Runs, times and (where asked) checks, captures and compares with a peer.
answer run_attention(const attention_request& request, const device_choice& device, const on_step& step);

/// Refuses a problem that cannot be, and tensors that do not fit into memory.
void check_attention(const attention_request& request, const device_choice& device);

}  // namespace fade::bench
