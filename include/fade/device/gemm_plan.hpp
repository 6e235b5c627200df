// What a matrix multiplication will launch, decided but not run.
#pragma once
#include <cstddef>
#include <vector>
#include <fade/core/report.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/tune/gemm/select.hpp>

namespace fade {

/// One launch as the driver will see it. `entry` identifies the kernel to the vendor's runtime; null on this CPU.
struct planned_launch {
    const void* entry = nullptr;
    int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    int dynamic_lds = 0;
    std::vector<std::byte> kernarg;
};

struct gemm_plan {
    fade::report report;
    gemm_policy policy;
    gemm_reading reading = gemm_reading::strided;
    std::vector<planned_launch> launches;
    std::size_t workspace_bytes = 0;
};

}  // namespace fade
