// What a matrix multiplication is told beside its problem, and what it will launch, decided but not run.
#pragma once
#include <cstddef>
#include <fade/device/operation.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/tune/gemm/select.hpp>
#include <fade/tune/tuned.hpp>

namespace FADE_NAMESPACE {

/// What gemm() is told beside its problem.
struct gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    int split_k = 1;      ///< workgroups that share a tile's k; 0: as many as idle compute units call for
    void* workspace = nullptr;        ///< device memory for shared k; null: the device's own pool
    std::size_t workspace_bytes = 0;  ///< of that memory
    const tuned_policies* tuned =
        nullptr;  ///< asked for the policy; null: the selector alone decides, and no file is touched
};

/// Report, launches and workspace_bytes are those of every operation.
struct gemm_plan : operation_plan {
    gemm_policy policy;                               ///< how the problem is cut
    operand_access access = operand_access::strided;  ///< how operands are read
};

}  // namespace FADE_NAMESPACE
