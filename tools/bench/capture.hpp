// Launches written to a folder, to be replayed elsewhere.
#pragma once
#include <filesystem>
#include <vector>
#include "answer.hpp"

namespace fade::bench {

/// Makes the folder, or throws a refusal.
void prepare_capture(const std::filesystem::path& folder);

/// Writes launch.json with what these problems would launch, their buffers, and the output that the reference expects.
void write_capture(const std::filesystem::path& folder, const gemm_request& request, const device_choice& device,
                   const std::vector<gemm_data>& problems);

}  // namespace fade::bench
