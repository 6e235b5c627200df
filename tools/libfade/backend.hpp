// What the library is made of: kinds of devices, and for each operation and types the function that calls
// FADE.
#pragma once
#include "tuning.hpp"
#include <fade.h>
#include <fade/core/dtype_names.hpp>
#include <fade/core/report.hpp>
#include <fade/device/planned_launch.hpp>
#include <memory>
#include <string>
#include <vector>

namespace fade::c {

enum class operation {
    gemm,
    gemm_of_pairs,
    grouped_gemm,
    grouped_k_gemm,
    batched_gemm,
    scaled_gemm,
    weight_gemm,
    grouped_weight_gemm,
    moe_route,
    moe_dispatch,
    moe_combine,
    sgd_step,
    adamw_step,
    find_nonfinite,
    attention,
    append_kv,
    quantize,
    rms_norm,
    layer_norm,
    rms_norm_gradient,
    layer_norm_gradient,
    softmax,
    log_softmax,
    softmax_gradient,
    log_softmax_gradient,
    cross_entropy,
    cross_entropy_gradient,
    sum,
    mean,
    max,
    argmax,
    top_k,
    rotary,
    rotary_gradient,
    sort,
    sort_pairs,
    inclusive_scan,
    exclusive_scan,
    select,
    reduce,
    segmented_reduce,
    histogram,
    list_top_k,
    conv_forward,
    conv_backward_data,
    conv_backward_weights,
    max_pool,
    max_pool_gradient,
    avg_pool,
    avg_pool_gradient,
    batch_norm,
    batch_norm_inference,
    batch_norm_gradient,
    fold_into_filter,
    upsample,
    upsample_gradient,
    grid_sample,
    grid_sample_gradient
};
inline constexpr int operations = int(operation::grid_sample_gradient) + 1;
inline constexpr int dtypes = int(dtype::f8e5m2fnuz) + 1;

constexpr const char* name(operation o) {
    constexpr const char* names[] = {"gemm",
                                     "gemm of two types",
                                     "grouped_gemm",
                                     "grouped_k_gemm",
                                     "batched_gemm",
                                     "scaled_gemm",
                                     "weight_gemm",
                                     "grouped_weight_gemm",
                                     "moe_route",
                                     "moe_dispatch",
                                     "moe_combine",
                                     "sgd_step",
                                     "adamw_step",
                                     "find_nonfinite",
                                     "attention",
                                     "append_kv",
                                     "quantize",
                                     "rms_norm",
                                     "layer_norm",
                                     "rms_norm gradient",
                                     "layer_norm gradient",
                                     "softmax",
                                     "log_softmax",
                                     "softmax gradient",
                                     "log_softmax gradient",
                                     "cross_entropy",
                                     "cross_entropy gradient",
                                     "sum",
                                     "mean",
                                     "max",
                                     "argmax",
                                     "top_k",
                                     "rotary",
                                     "rotary gradient",
                                     "sort",
                                     "sort_pairs",
                                     "inclusive_scan",
                                     "exclusive_scan",
                                     "select",
                                     "reduce",
                                     "segmented_reduce",
                                     "histogram",
                                     "list_top_k",
                                     "conv forward",
                                     "conv backward data",
                                     "conv backward weights",
                                     "max_pool",
                                     "max_pool gradient",
                                     "avg_pool",
                                     "avg_pool gradient",
                                     "batch_norm",
                                     "batch_norm_inference",
                                     "batch_norm gradient",
                                     "fold_into_filter",
                                     "upsample",
                                     "upsample gradient",
                                     "grid_sample",
                                     "grid_sample gradient"};
    return names[int(o)];
}

/// How a call is made.
struct manner {
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    bool strict = false;
    bool plans = false;  ///< nothing runs
    const tuned_policies* tuned = nullptr;
    const find_request* finds = nullptr;  ///< the call is a find, where the backend has one
};

struct outcome {
    fade::report report;
    std::vector<planned_launch> launches;  ///< of a plan
    std::size_t workspace_bytes = 0;
    std::unique_ptr<fade_found> found = nullptr;  ///< of a find
};

/// Calls FADE on a device of the kind that it was compiled for, with arguments of the operation's struct.
using caller = outcome (*)(void* device, const void* arguments, const manner&);

struct device_config {
    int threads = 0, compute_units = 0;
};

/// A kind of device and what was compiled for it.
struct backend {
    std::string kind;
    int (*count)() = nullptr;
    std::shared_ptr<void> (*open)(int ordinal, void* stream, const device_config&) = nullptr;
    caller callers[operations][dtypes][dtypes] = {};
    bool finds[operations][dtypes][dtypes] = {};             ///< which of them can be finds
    background_caller backgrounds[operations][dtypes] = {};  ///< of results of the inputs' type

    bool is_gpu() const { return kind == "hip" || kind == "cuda"; }
};

/// All kinds; objects add theirs when the library is loaded.
std::vector<std::unique_ptr<backend>>& backends();
/// The kind of that name, added where it is new.
backend& backend_of(const std::string& kind);

}  // namespace fade::c
