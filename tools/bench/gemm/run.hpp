// The problems of a request, run.
#pragma once
#include "../answer.hpp"
#include "request.hpp"

namespace fade::bench {

/// What was chosen for the problem with the most work, with the launches and the memory of all.
kernel_choice together(const std::vector<gemm_problem>& problems, const std::vector<kernel_choice>& choices);

/// Runs, times and (where asked) checks, captures and compares with a peer.
answer run_gemm(const gemm_request& request, const device_choice& device, const on_step& step);

/// Refuses problems that cannot be, and matrices that do not fit into memory.
void check_gemm(const gemm_request& request, const device_choice& device);

/// Two operations a product; nothing else counts.
double operations_of(const gemm_request& request);

}  // namespace fade::bench
