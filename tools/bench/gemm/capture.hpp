// The launches of multiplications, captured.
#pragma once
#include "../capture.hpp"
#include "data.hpp"

namespace fade::bench {

/// Writes what these problems would launch, their buffers, and the output that the reference expects.
void write_capture(const gemm_request& request, const device_choice& device,
                   const std::vector<gemm_data>& problems);

}  // namespace fade::bench
