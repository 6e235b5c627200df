// Launches written to a folder, to be replayed elsewhere.
#pragma once
#include <filesystem>
#include <vector>
#include "answer.hpp"

namespace fade::bench {

/// Makes the folder, or throws a refusal.
void prepare_capture(const std::filesystem::path& folder);

/// Writes launch.json, the buffers of these problems and the output that the reference expects. `choices` holds
/// what each problem would launch, with the addresses of its buffers.
void write_capture(const std::filesystem::path& folder, const gemm_request& request, std::string_view arch,
                   const std::vector<gemm_data>& problems, const std::vector<gemm_choice>& choices);

}  // namespace fade::bench
