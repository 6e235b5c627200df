// A row operator, run.
#pragma once
#include "../answer.hpp"
#include "request.hpp"

namespace fade::bench {

/// Names the kernels without running anything.
answer plan_rows(const rows_request& request, const device_choice& device);

/// Runs, times and (where asked) checks.
answer run_rows(const rows_request& request, const device_choice& device, const on_step& step);

/// Refuses a problem that cannot be, and tensors that do not fit into memory.
void check_rows(const rows_request& request, const device_choice& device);

}  // namespace fade::bench
