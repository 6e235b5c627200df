// A convolution, planned and run.
#pragma once
#include "../answer.hpp"
#include "request.hpp"

namespace fade::bench {

/// Says what would run.
answer plan_conv(const conv_request& request, const device_choice& device);

/// Refuses a problem that cannot be, and tensors that do not fit into memory.
void check_conv(const conv_request& request, const device_choice& device);

/// Runs, times and (where asked) checks, captures and compares with a peer.
answer run_conv(const conv_request& request, const device_choice& device, const on_step& step);

}  // namespace fade::bench
