// The launches of an attention, captured.
#pragma once
#include "../capture.hpp"
#include "data.hpp"

namespace fade::bench {

/// Who knows the launches of a request.
const attention_runner& find_planner(const attention_request& request, const device_choice& device);

/// Writes what this problem would launch, its buffers, and what the reference expects in o and lse.
void write_capture(const attention_request& request, const device_choice& device, const attention_data& data);

}  // namespace fade::bench
