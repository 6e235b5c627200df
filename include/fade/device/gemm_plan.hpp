// What a matrix multiplication will launch, decided but not run.
#pragma once
#include <cstddef>
#include <fade/core/report.hpp>
#include <fade/device/planned_launch.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/tune/gemm/select.hpp>
#include <vector>

namespace FADE_NAMESPACE {

struct gemm_plan {
    fade::report report;
    gemm_policy policy;
    gemm_reading reading = gemm_reading::strided;
    std::vector<planned_launch> launches;
    std::size_t workspace_bytes = 0;
};

}  // namespace FADE_NAMESPACE
