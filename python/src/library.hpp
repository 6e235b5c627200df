// libfade as this module finds it: loaded by an absolute path, its functions by their names.
#pragma once
#include <fade.h>
#include <memory>
#include <string>

namespace fade::python {

/// The functions of fade.h for tables of pointers, groups of rows, mixtures of experts, scales of 128 k and
/// quantised weights.
#define FADE_PYTHON_FUNCTIONS_OF_GROUPS(f)                                                                   \
    f(fade_batched_gemm) f(fade_batched_gemm_init) f(fade_grouped_gemm) f(fade_grouped_gemm_init)            \
        f(fade_grouped_k_gemm) f(fade_grouped_k_gemm_init) f(fade_grouped_weight_gemm)                       \
            f(fade_grouped_weight_gemm_init) f(fade_moe_combine) f(fade_moe_combine_init)                    \
                f(fade_moe_dispatch) f(fade_moe_dispatch_init) f(fade_moe_route) f(fade_moe_route_init)      \
                    f(fade_scaled_gemm) f(fade_scaled_gemm_init) f(fade_weight_gemm)                         \
                        f(fade_weight_gemm_init)

/// The functions of fade.h that are called, in the order of their names.
#define FADE_PYTHON_FUNCTIONS(f)                                                                             \
    f(fade_append_init) f(fade_append_kv) f(fade_argmax) f(fade_attention) f(fade_attention_init)            \
        f(fade_conv_backward_data) f(fade_conv_backward_weights) f(fade_conv_forward) f(fade_conv_init) f(   \
            fade_cross_entropy) f(fade_cross_entropy_gradient) f(fade_cross_entropy_gradient_init)           \
            f(fade_cross_entropy_init) f(fade_device_close) f(fade_device_config_init) f(fade_device_count)  \
                f(fade_device_open) f(fade_exclusive_scan) f(fade_gemm) f(fade_gemm_init) f(fade_histogram)  \
                    f(fade_histogram_init) f(fade_inclusive_scan) f(fade_kind) f(fade_kind_count) f(         \
                        fade_last_error) f(fade_layer_norm) f(fade_layer_norm_gradient) f(fade_list_top_k)   \
                        f(fade_list_top_k_init) f(fade_log_softmax) f(fade_log_softmax_gradient) f(fade_max) \
                            f(fade_mean) f(fade_norm_gradient_init) f(fade_norm_init) f(fade_options_init)   \
                                f(fade_plan_close) f(fade_plan_workspace_bytes) f(fade_quantize)             \
                                    f(fade_quantize_init) f(fade_reduce) f(fade_reduce_init) f(              \
                                        fade_reduce_list_init) f(fade_report_close) f(fade_report_fallback)  \
                                        f(fade_report_text) f(fade_rms_norm) f(fade_rms_norm_gradient)       \
                                            f(fade_rotary) f(fade_rotary_gradient) f(fade_rotary_init) f(    \
                                                fade_scan_init) f(fade_segmented_reduce) f(fade_select)      \
                                                f(fade_select_init) f(fade_softmax) f(fade_softmax_gradient) \
                                                    f(fade_softmax_gradient_init) f(fade_softmax_init)       \
                                                        f(fade_sort) f(fade_sort_init) f(fade_sort_pairs)    \
                                                            f(fade_stage_init) f(fade_sum) f(fade_top_k)     \
                                                                f(fade_top_k_init) f(fade_version)           \
                                                                    FADE_PYTHON_FUNCTIONS_OF_GROUPS(f)

/// Those of fade_images.h.
#define FADE_PYTHON_IMAGE_FUNCTIONS(f)                                                                       \
    f(fade_avg_pool) f(fade_avg_pool_gradient) f(fade_batch_norm) f(fade_batch_norm_gradient)                \
        f(fade_batch_norm_gradient_init) f(fade_batch_norm_inference) f(fade_batch_norm_inference_init)      \
            f(fade_batch_norm_init) f(fade_fold_init) f(fade_fold_into_filter) f(fade_grid_sample)           \
                f(fade_grid_sample_gradient) f(fade_grid_sample_init) f(fade_max_pool)                       \
                    f(fade_max_pool_gradient) f(fade_pool_init) f(fade_upsample) f(fade_upsample_gradient)   \
                        f(fade_upsample_init)

/// Those of fade_optimizer.h.
#define FADE_PYTHON_OPTIMIZER_FUNCTIONS(f)                                                                   \
    f(fade_adamw_init) f(fade_adamw_step) f(fade_find_nonfinite) f(fade_nonfinite_init) f(fade_sgd_init)     \
        f(fade_sgd_step)

/// Those of fade_tuning.h.
#define FADE_PYTHON_TUNING_FUNCTIONS(f)                                                                      \
    f(fade_background_attention) f(fade_background_conv_forward) f(fade_background_gemm)                     \
        f(fade_background_read) f(fade_find_attention) f(fade_find_conv_backward_data)                       \
            f(fade_find_conv_backward_weights) f(fade_find_conv_forward) f(fade_find_gemm)                   \
                f(fade_find_layer_norm) f(fade_find_log_softmax) f(fade_find_rms_norm) f(fade_find_softmax)  \
                    f(fade_verify_layer_norm) f(fade_verify_log_softmax) f(fade_verify_rms_norm)             \
                        f(fade_verify_softmax) f(fade_find_options_init) f(fade_found_close)                 \
                            f(fade_found_read) f(fade_found_text) f(fade_tuning_close)                       \
                                f(fade_tuning_each_row) f(fade_tuning_files_init) f(fade_tuning_open)        \
                                    f(fade_tuning_open_background) f(fade_tuning_put)                        \
                                        f(fade_tuning_refused_writes) f(fade_tuning_remove)                  \
                                            f(fade_tuning_row_init) f(fade_verify_attention)                 \
                                                f(fade_verify_conv_backward_data)                            \
                                                    f(fade_verify_conv_backward_weights)                     \
                                                        f(fade_verify_conv_forward) f(fade_verify_gemm)

struct library {
    void* handle = nullptr;
#define FADE_PYTHON_MEMBER(name) decltype(&::name) name = nullptr;
    FADE_PYTHON_FUNCTIONS(FADE_PYTHON_MEMBER)
    FADE_PYTHON_IMAGE_FUNCTIONS(FADE_PYTHON_MEMBER)
    FADE_PYTHON_OPTIMIZER_FUNCTIONS(FADE_PYTHON_MEMBER)
    FADE_PYTHON_TUNING_FUNCTIONS(FADE_PYTHON_MEMBER)
#undef FADE_PYTHON_MEMBER

    library() = default;
    library(const library&) = delete;
    ~library();
};

/// The library of that file; null and a sentence where it cannot be used.
std::shared_ptr<library> load(const std::string& path, std::string& why_not);

}  // namespace fade::python
