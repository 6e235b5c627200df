// The launches of a row operator, captured.
#pragma once
#include "../capture.hpp"
#include "data.hpp"
#include "request.hpp"

namespace fade::bench {

/// Writes what --capture asks for.
void write_capture(const rows_request& request, const device_choice& device, const rows_data& data);

}  // namespace fade::bench
