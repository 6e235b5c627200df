// The problem of a request, run.
#pragma once
#include "../answer.hpp"
#include "request.hpp"

namespace fade::bench {

/// The runner of a request on a device, or a refusal that names what is held.
const product_runner& find_runner(const product_request& request, const std::string& kind);

/// What would run; what the library refuses is a sentence.
kernel_choice choice_of(const product_request& request, const device_choice& device);

/// Runs, times and (where asked) checks and compares with a peer.
answer run_product(const product_request& request, const device_choice& device, const on_step& step);

}  // namespace fade::bench
