// The functions of fade_images.h.
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_pool_args defaults<fade_pool_args>{.size = sizeof(fade_pool_args),
                                                     .in = FADE_F32,
                                                     .count_include_pad = 1,
                                                     .input = ones,
                                                     .window = ones,
                                                     .dilation = ones,
                                                     .pad_end = {-1, -1, -1},
                                                     .batch = 1};
template <>
inline const fade_batch_norm_args defaults<fade_batch_norm_args>{.size = sizeof(fade_batch_norm_args),
                                                                 .in = FADE_F32,
                                                                 .image = ones,
                                                                 .batch = 1,
                                                                 .epsilon = 1e-5,
                                                                 .momentum = 0.1};
template <>
inline const fade_batch_norm_inference_args defaults<fade_batch_norm_inference_args>{
    .size = sizeof(fade_batch_norm_inference_args),
    .in = FADE_F32,
    .image = ones,
    .batch = 1,
    .epsilon = 1e-5};
template <>
inline const fade_batch_norm_gradient_args defaults<fade_batch_norm_gradient_args>{
    .size = sizeof(fade_batch_norm_gradient_args), .in = FADE_F32, .image = ones, .batch = 1};
template <>
inline const fade_fold_args defaults<fade_fold_args>{
    .size = sizeof(fade_fold_args), .in = FADE_F32, .epsilon = 1e-5};
template <>
inline const fade_upsample_args defaults<fade_upsample_args>{
    .size = sizeof(fade_upsample_args), .in = FADE_F32, .input = ones, .output = ones, .batch = 1};
template <>
inline const fade_grid_sample_args defaults<fade_grid_sample_args>{.size = sizeof(fade_grid_sample_args),
                                                                   .in = FADE_F32,
                                                                   .dimensions = 2,
                                                                   .input = ones,
                                                                   .output = ones,
                                                                   .batch = 1};

namespace {

void require_layout(fade_conv_layout layout) {
    require_one_of(layout, 2, "layout", "a fade_conv_layout is FADE_CHANNELS_LAST or FADE_CHANNELS_FIRST");
}
void require_flag(std::int32_t value, const char* argument) {
    require_one_of(value, 2, argument, "it is 0 or 1");
}

}  // namespace

template <>
inline constexpr bool has_one_type<fade_pool_args> = true;
template <>
inline constexpr bool has_one_type<fade_batch_norm_args> = true;
template <>
inline constexpr bool has_one_type<fade_batch_norm_inference_args> = true;
template <>
inline constexpr bool has_one_type<fade_batch_norm_gradient_args> = true;
template <>
inline constexpr bool has_one_type<fade_fold_args> = true;
template <>
inline constexpr bool has_one_type<fade_upsample_args> = true;
template <>
inline constexpr bool has_one_type<fade_grid_sample_args> = true;

template <>
void check_fields(const fade_pool_args& p, operation op) {
    require_layout(p.layout);
    require_flag(p.ceil_mode, "ceil_mode"), require_flag(p.count_include_pad, "count_include_pad");
    const bool is_mean = op == operation::avg_pool || op == operation::avg_pool_gradient;
    if (is_mean && p.indices)
        throw error("indices", "given", "a mean stands at no pixel, so it must be null");
}

template <>
void check_fields(const fade_upsample_args& u, operation) {
    require_layout(u.layout), require_flag(u.align_corners, "align_corners");
    require_one_of(u.mode, 3, "mode",
                   "a fade_upsample_mode is FADE_UPSAMPLE_NEAREST, FADE_UPSAMPLE_NEAREST_EXACT or "
                   "FADE_UPSAMPLE_LINEAR");
}
template <>
void check_fields(const fade_grid_sample_args& g, operation) {
    require_layout(g.layout), require_flag(g.align_corners, "align_corners");
    require_one_of(g.mode, 2, "mode", "a fade_grid_mode is FADE_GRID_LINEAR or FADE_GRID_NEAREST");
    require_one_of(g.padding, 3, "padding",
                   "a fade_grid_padding is FADE_GRID_ZEROS, FADE_GRID_BORDER or FADE_GRID_REFLECTION");
}
template <>
void check_fields(const fade_batch_norm_args& a, operation) {
    require_layout(a.layout);
}
template <>
void check_fields(const fade_batch_norm_inference_args& a, operation) {
    require_layout(a.layout);
}
template <>
void check_fields(const fade_batch_norm_gradient_args& a, operation) {
    require_layout(a.layout);
}

}  // namespace fade::c

FADE_C_INIT(fade_pool_init, fade_pool_args)
FADE_C_INIT(fade_batch_norm_init, fade_batch_norm_args)
FADE_C_INIT(fade_batch_norm_inference_init, fade_batch_norm_inference_args)
FADE_C_INIT(fade_batch_norm_gradient_init, fade_batch_norm_gradient_args)
FADE_C_INIT(fade_fold_init, fade_fold_args)
FADE_C_INIT(fade_upsample_init, fade_upsample_args)
FADE_C_INIT(fade_grid_sample_init, fade_grid_sample_args)
FADE_C_CALL(fade_max_pool, fade_pool_args, max_pool)
FADE_C_CALL(fade_max_pool_gradient, fade_pool_args, max_pool_gradient)
FADE_C_CALL(fade_avg_pool, fade_pool_args, avg_pool)
FADE_C_CALL(fade_avg_pool_gradient, fade_pool_args, avg_pool_gradient)
FADE_C_CALL(fade_batch_norm, fade_batch_norm_args, batch_norm)
FADE_C_CALL(fade_batch_norm_inference, fade_batch_norm_inference_args, batch_norm_inference)
FADE_C_CALL(fade_batch_norm_gradient, fade_batch_norm_gradient_args, batch_norm_gradient)
FADE_C_CALL(fade_fold_into_filter, fade_fold_args, fold_into_filter)
FADE_C_CALL(fade_upsample, fade_upsample_args, upsample)
FADE_C_CALL(fade_upsample_gradient, fade_upsample_args, upsample_gradient)
FADE_C_CALL(fade_grid_sample, fade_grid_sample_args, grid_sample)
FADE_C_CALL(fade_grid_sample_gradient, fade_grid_sample_args, grid_sample_gradient)
