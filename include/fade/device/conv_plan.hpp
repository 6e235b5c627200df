// What a convolution is told beside its problem, and what it will launch, decided but not run.
#pragma once
#include <cstddef>
#include <fade/device/operation.hpp>
#include <fade/kernel/gemm/policy.hpp>

namespace FADE_NAMESPACE {

/// What a convolution is told beside its problem.
struct conv_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    int split_k = 0;      ///< workgroups that share a tile's k; 0: as many as idle compute units call for
    void* workspace = nullptr;        ///< device memory for shared k and copies; null: the device's own pool
    std::size_t workspace_bytes = 0;  ///< of that memory
};

/// Report, launches and workspace_bytes are those of every operation.
struct conv_plan : operation_plan {
    gemm_policy policy;           ///< of the product of matrices that it is
    std::size_t main_launch = 0;  ///< that product; others copy tensors in another order, or add sums up
};

}  // namespace FADE_NAMESPACE
