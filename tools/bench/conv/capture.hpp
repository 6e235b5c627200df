// The launches of a convolution, captured.
#pragma once
#include "../capture.hpp"
#include "data.hpp"

namespace fade::bench {

/// Writes what --capture asks for.
void write_capture(const conv_request& request, const device_choice& device, const conv_data& data);

}  // namespace fade::bench
