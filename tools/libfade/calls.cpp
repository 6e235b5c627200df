// The functions of fade.h that run operations.
#include "call.hpp"

namespace fade::c {

template <>
inline constexpr bool has_one_type<fade_sort_args> = true;
template <>
inline constexpr bool has_one_type<fade_scan_args> = true;
template <>
inline constexpr bool has_one_type<fade_select_args> = true;
template <>
inline constexpr bool has_one_type<fade_reduce_list_args> = true;
template <>
inline constexpr bool has_one_type<fade_histogram_args> = true;
template <>
inline constexpr bool has_one_type<fade_list_top_k_args> = true;

template <>
void check_fields(const fade_conv_args& c, operation op) {
    require_one_of(c.layout, 2, "layout", "a fade_conv_layout is FADE_CHANNELS_LAST or FADE_CHANNELS_FIRST");
    require_one_of(c.algorithm, FADE_CONV_FFT + 1, "algorithm",
                   "a fade_conv_algorithm is one of FADE_CONV_AUTOMATIC to FADE_CONV_FFT");
    if (c.db && op != operation::conv_backward_weights)
        throw error("db", "given",
                    "the gradient of a bias is made by fade_conv_backward_weights: let it be null");
    if ((c.x_zero || c.w_zero) && op != operation::conv_forward)
        throw error(c.x_zero ? "x_zero" : "w_zero", c.x_zero ? std::to_string(c.x_zero) : "given",
                    "zero points are those of fade_conv_forward: let them be 0 and null");
    check_stages(c.stages, c.stage_count, 0);
}
template <>
void check_fields(const fade_attention_args& a, operation) {
    require_one_of(a.causal, 3, "causal", "a fade_causal is one of NONE, BOTTOM_RIGHT and TOP_LEFT");
    check_choice(a.check_indices);
}
template <>
void check_find(const fade_conv_args& c) {
    constexpr const char* rule = "a find chooses it: let it be 0, and ask the database in the call";
    if (c.algorithm) throw error("algorithm", std::to_string(c.algorithm), rule);
    if (c.split_k) throw error("split_k", std::to_string(c.split_k), rule);
}
template <>
void check_find(const fade_attention_args& a) {
    if (a.split_kv)
        throw error("split_kv", std::to_string(a.split_kv),
                    "a find chooses it: let it be 0, and ask the database in the call");
}
template <>
void check_fields(const fade_norm_args& a, operation) {
    require_dtype(a.weights, "weights");
}
template <>
void check_fields(const fade_norm_gradient_args& a, operation) {
    require_dtype(a.weights, "weights");
}
template <>
void check_fields(const fade_append_args& a, operation) {
    require_dtype(a.tables, "tables");
}
template <>
void check_fields(const fade_rotary_args& a, operation) {
    require_dtype(a.tables, "tables");
}
template <>
void check_fields(const fade_reduce_list_args& a, operation) {
    require_one_of(a.op, 3, "op", "a fade_reduce_op is one of SUM, MIN and MAX");
}

}  // namespace fade::c

FADE_C_CALL(fade_attention, fade_attention_args, attention)
FADE_C_CALL(fade_append_kv, fade_append_args, append_kv)
FADE_C_CALL(fade_quantize, fade_quantize_args, quantize)
FADE_C_CALL(fade_rms_norm, fade_norm_args, rms_norm)
FADE_C_CALL(fade_layer_norm, fade_norm_args, layer_norm)
FADE_C_CALL(fade_rms_norm_gradient, fade_norm_gradient_args, rms_norm_gradient)
FADE_C_CALL(fade_layer_norm_gradient, fade_norm_gradient_args, layer_norm_gradient)
FADE_C_CALL(fade_softmax, fade_softmax_args, softmax)
FADE_C_CALL(fade_log_softmax, fade_softmax_args, log_softmax)
FADE_C_CALL(fade_softmax_gradient, fade_softmax_gradient_args, softmax_gradient)
FADE_C_CALL(fade_log_softmax_gradient, fade_softmax_gradient_args, log_softmax_gradient)
FADE_C_CALL(fade_cross_entropy, fade_cross_entropy_args, cross_entropy)
FADE_C_CALL(fade_cross_entropy_gradient, fade_cross_entropy_gradient_args, cross_entropy_gradient)
FADE_C_CALL(fade_sum, fade_reduce_args, sum)
FADE_C_CALL(fade_mean, fade_reduce_args, mean)
FADE_C_CALL(fade_max, fade_reduce_args, max)
FADE_C_CALL(fade_argmax, fade_reduce_args, argmax)
FADE_C_CALL(fade_top_k, fade_top_k_args, top_k)
FADE_C_CALL(fade_rotary, fade_rotary_args, rotary)
FADE_C_CALL(fade_rotary_gradient, fade_rotary_args, rotary_gradient)
FADE_C_CALL(fade_sort, fade_sort_args, sort)
FADE_C_CALL(fade_sort_pairs, fade_sort_args, sort_pairs)
FADE_C_CALL(fade_inclusive_scan, fade_scan_args, inclusive_scan)
FADE_C_CALL(fade_exclusive_scan, fade_scan_args, exclusive_scan)
FADE_C_CALL(fade_select, fade_select_args, select)
FADE_C_CALL(fade_reduce, fade_reduce_list_args, reduce)
FADE_C_CALL(fade_segmented_reduce, fade_reduce_list_args, segmented_reduce)
FADE_C_CALL(fade_histogram, fade_histogram_args, histogram)
FADE_C_CALL(fade_list_top_k, fade_list_top_k_args, list_top_k)
FADE_C_CALL(fade_conv_forward, fade_conv_args, conv_forward)
FADE_C_CALL(fade_conv_backward_data, fade_conv_args, conv_backward_data)
FADE_C_CALL(fade_conv_backward_weights, fade_conv_args, conv_backward_weights)
