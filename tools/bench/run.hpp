// The problems of a request, run.
#pragma once
#include "answer.hpp"

namespace fade::bench {

/// What was chosen for the problem with the most work, with the launches and the memory of all.
gemm_choice together(const std::vector<gemm_problem>& problems, const std::vector<gemm_choice>& choices);

/// Runs, times and (where asked) checks, captures and compares with a peer.
gemm_answer run_gemm(const gemm_request& request, const device_choice& device);

}  // namespace fade::bench
