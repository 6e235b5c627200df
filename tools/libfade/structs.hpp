// Structs of arguments: their defaults, and reading those of callers that know fewer or more fields.
#pragma once
#include "error.hpp"
#include <cstring>
#include <fade/core/dtype_names.hpp>

namespace fade::c {

/// What _init gives: all zero but for these.
template <class S>
inline S defaults{.size = sizeof(S)};
template <>
inline const fade_stage defaults<fade_stage>{.size = sizeof(fade_stage), .batch_stride = -1};
template <>
inline const fade_gemm_args defaults<fade_gemm_args>{.size = sizeof(fade_gemm_args),
                                                     .in = FADE_F32,
                                                     .out = FADE_F32,
                                                     .split_k = 1,
                                                     .batch = 1,
                                                     .alpha = 1,
                                                     .stride_a = -1,
                                                     .stride_b = -1,
                                                     .stride_c = -1,
                                                     .stride_d = -1,
                                                     .sums = FADE_F32};
inline constexpr fade_spatial ones{1, 1, 1};
template <>
inline const fade_conv_args defaults<fade_conv_args>{.size = sizeof(fade_conv_args),
                                                     .in = FADE_F32,
                                                     .out = FADE_F32,
                                                     .groups = 1,
                                                     .input = ones,
                                                     .filter = ones,
                                                     .stride = ones,
                                                     .dilation = ones,
                                                     .pad_end = {-1, -1, -1},
                                                     .batch = 1,
                                                     .alpha = 1};
template <>
inline const fade_attention_args defaults<fade_attention_args>{.size = sizeof(fade_attention_args),
                                                               .in = FADE_F32,
                                                               .out = FADE_F32,
                                                               .check_indices = -1,
                                                               .batch = 1,
                                                               .heads = 1,
                                                               .window_left = -1,
                                                               .window_right = -1,
                                                               .bias_batch = -1,
                                                               .bias_head = -1,
                                                               .bias_query = -1};
template <>
inline const fade_append_args defaults<fade_append_args>{.size = sizeof(fade_append_args),
                                                         .in = FADE_F32,
                                                         .cache = FADE_F32,
                                                         .batch = 1,
                                                         .kv_heads = 1,
                                                         .tables = FADE_F32};
template <>
inline const fade_quantize_args defaults<fade_quantize_args>{
    .size = sizeof(fade_quantize_args), .in = FADE_F32, .out = FADE_F8E4M3, .batch = 1, .heads = 1};
template <>
inline const fade_norm_args defaults<fade_norm_args>{.size = sizeof(fade_norm_args),
                                                     .in = FADE_F32,
                                                     .out = FADE_F32,
                                                     .weights = FADE_F32,
                                                     .epsilon = 1e-5,
                                                     .x_stride = -1,
                                                     .residual_stride = -1,
                                                     .sum_stride = -1,
                                                     .y_stride = -1};
template <>
inline const fade_norm_gradient_args defaults<fade_norm_gradient_args>{.size =
                                                                           sizeof(fade_norm_gradient_args),
                                                                       .in = FADE_F32,
                                                                       .gradient = FADE_F32,
                                                                       .weights = FADE_F32,
                                                                       .h_stride = -1,
                                                                       .dy_stride = -1,
                                                                       .dsum_stride = -1,
                                                                       .dx_stride = -1};
template <>
inline const fade_softmax_args defaults<fade_softmax_args>{
    .size = sizeof(fade_softmax_args), .in = FADE_F32, .out = FADE_F32, .x_stride = -1, .y_stride = -1};
template <>
inline const fade_softmax_gradient_args defaults<fade_softmax_gradient_args>{
    .size = sizeof(fade_softmax_gradient_args),
    .in = FADE_F32,
    .out = FADE_F32,
    .y_stride = -1,
    .dy_stride = -1,
    .dx_stride = -1};
template <>
inline const fade_cross_entropy_args defaults<fade_cross_entropy_args>{
    .size = sizeof(fade_cross_entropy_args), .in = FADE_F32, .ignored_label = -100, .x_stride = -1};
template <>
inline const fade_cross_entropy_gradient_args defaults<fade_cross_entropy_gradient_args>{
    .size = sizeof(fade_cross_entropy_gradient_args),
    .in = FADE_F32,
    .gradient = FADE_F32,
    .ignored_label = -100,
    .x_stride = -1,
    .dx_stride = -1};
template <>
inline const fade_reduce_args defaults<fade_reduce_args>{
    .size = sizeof(fade_reduce_args), .in = FADE_F32, .out = FADE_F32, .x_stride = -1};
template <>
inline const fade_top_k_args defaults<fade_top_k_args>{
    .size = sizeof(fade_top_k_args), .in = FADE_F32, .out = FADE_F32, .k = 1, .x_stride = -1};
template <>
inline const fade_rotary_args defaults<fade_rotary_args>{.size = sizeof(fade_rotary_args),
                                                         .in = FADE_F32,
                                                         .out = FADE_F32,
                                                         .tables = FADE_F32,
                                                         .heads = 1,
                                                         .rotary_dim = -1,
                                                         .table_stride = -1,
                                                         .x_stride = -1,
                                                         .y_stride = -1,
                                                         .x_head_stride = -1,
                                                         .y_head_stride = -1};
template <>
inline const fade_sort_args defaults<fade_sort_args>{.size = sizeof(fade_sort_args), .in = FADE_F32};
template <>
inline const fade_scan_args defaults<fade_scan_args>{.size = sizeof(fade_scan_args), .in = FADE_F32};
template <>
inline const fade_select_args defaults<fade_select_args>{.size = sizeof(fade_select_args), .in = FADE_F32};
template <>
inline const fade_reduce_list_args defaults<fade_reduce_list_args>{.size = sizeof(fade_reduce_list_args),
                                                                   .in = FADE_F32};
template <>
inline const fade_histogram_args defaults<fade_histogram_args>{.size = sizeof(fade_histogram_args),
                                                               .in = FADE_F32};
template <>
inline const fade_list_top_k_args defaults<fade_list_top_k_args>{.size = sizeof(fade_list_top_k_args),
                                                                 .in = FADE_F32};

/// Sets as many bytes as the caller's struct has.
template <class S>
void init(S* to, std::size_t size) {
    if (!to || size < sizeof(std::size_t)) return;
    std::memset(static_cast<void*>(to), 0, size);
    std::memcpy(static_cast<void*>(to), &defaults<S>, size < sizeof(S) ? size : sizeof(S));
    to->size = size;
}

/// The caller's struct with fields that it does not know at their defaults. One that knows more than this
/// library may not use what it knows more.
template <class S>
S read(const S* given, const char* name) {
    if (!given) throw error(name, "null", "the arguments of a call lie in it");
    const std::size_t size = given->size;
    if (size < sizeof(std::size_t) || size > 16 * sizeof(S))
        throw error(std::string(name) + ".size", std::to_string(size),
                    "the struct's _init function sets it to sizeof the struct, here " +
                        std::to_string(sizeof(S)));
    S out = defaults<S>;
    std::memcpy(static_cast<void*>(&out), given, size < sizeof(S) ? size : sizeof(S));
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    for (std::size_t i = sizeof(S); i < size; ++i)
        if (bytes[i])
            throw error(std::string(name) + ".size", std::to_string(size),
                        "this library knows " + std::to_string(sizeof(S)) +
                            " bytes of it, and a field behind them is set");
    return out;
}

/// One of the values of an enum of fade.h.
inline void require_one_of(std::int32_t value, int count, const char* argument, const char* rule) {
    if (value < 0 || value >= count) throw error(argument, std::to_string(value), rule);
}

inline void require_dtype(fade_dtype t, const char* argument) {
    require_one_of(t, FADE_F8E5M2FNUZ + 1, argument, "a fade_dtype is one of FADE_F64 to FADE_F8E5M2FNUZ");
}

}  // namespace fade::c

#define FADE_C_INIT(function, struct_)                                                                       \
    void function(struct_* to, size_t size) { fade::c::init(to, size); }
