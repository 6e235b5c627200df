/* FADE in C99: operators over images. A part of fade.h, which includes it; its rules hold here.
 *
 * Images are packed, as their layout says, and have one to three dimensions; one that is not there has size
 * 1. Elements are FADE_F32, FADE_F16 or FADE_BF16, and results have the type of the inputs. */
#ifndef FADE_IMAGES_H
#define FADE_IMAGES_H

#include <fade.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pooling ---- */

/* The largest, or the mean, of each window. A call reads x and writes y; its gradient reads dy and writes dx.
 */
typedef struct fade_pool_args {
    size_t size;
    fade_dtype in;
    fade_conv_layout layout;
    int32_t channels;
    int32_t ceil_mode;         /* 1: a last window may reach beyond the room behind x */
    int32_t count_include_pad; /* means: 1 (set by _init): they count the room around x, too */
    fade_spatial input;        /* sizes of x; 1 unless set, as window and dilation */
    fade_spatial window;       /* taps */
    fade_spatial stride;       /* from window to window; 0: the window's size */
    fade_spatial dilation;     /* from tap to tap */
    fade_spatial pad, pad_end; /* room before x and behind it; pad_end -1: as pad */
    int64_t batch;
    const void* x;
    void* y;
    const void* dy;
    void* dx;
    int* indices; /* of y's shape: the pixel of each largest element, counted within its image. fade_max_pool
                     writes them where they are wanted, its gradient reads them; means refuse them */
} fade_pool_args;
FADE_API void fade_pool_init(fade_pool_args*, size_t size);
FADE_API fade_status fade_max_pool(fade_device*, const fade_pool_args*, const fade_options*);
FADE_API fade_status fade_max_pool_gradient(fade_device*, const fade_pool_args*, const fade_options*);
FADE_API fade_status fade_avg_pool(fade_device*, const fade_pool_args*, const fade_options*);
FADE_API fade_status fade_avg_pool_gradient(fade_device*, const fade_pool_args*, const fade_options*);

/* ---- batch normalisation: vectors are f32, one value a channel ---- */

/* y = (x - mean) / sqrt(variance + epsilon) * weight + bias with the mean and the variance of this batch,
 * which are mixed into the running values: r = (1 - momentum) r + momentum v. */
typedef struct fade_batch_norm_args {
    size_t size;
    fade_dtype in;
    fade_conv_layout layout;
    int32_t channels;
    fade_spatial image; /* sizes of each; 1 unless set. A refusal calls it size, as C++ does */
    int64_t batch;
    double epsilon, momentum; /* 1e-5 and 0.1 unless set */
    const void* x;
    void* y;                                /* may be x */
    const float *weight, *bias;             /* null: 1, 0 */
    float *mean, *inverse_root;             /* of this batch, for the gradient */
    float *running_mean, *running_variance; /* null: none are kept */
} fade_batch_norm_args;
FADE_API void fade_batch_norm_init(fade_batch_norm_args*, size_t size);
FADE_API fade_status fade_batch_norm(fade_device*, const fade_batch_norm_args*, const fade_options*);

/* The same with a mean and a variance that are given. */
typedef struct fade_batch_norm_inference_args {
    size_t size;
    fade_dtype in;
    fade_conv_layout layout;
    int32_t channels;
    fade_spatial image;
    int64_t batch;
    double epsilon;
    const void* x;
    void* y; /* may be x */
    const float *weight, *bias, *mean, *variance;
} fade_batch_norm_inference_args;
FADE_API void fade_batch_norm_inference_init(fade_batch_norm_inference_args*, size_t size);
FADE_API fade_status fade_batch_norm_inference(fade_device*, const fade_batch_norm_inference_args*,
                                               const fade_options*);

/* All three gradients, from what fade_batch_norm has stored. */
typedef struct fade_batch_norm_gradient_args {
    size_t size;
    fade_dtype in;
    fade_conv_layout layout;
    int32_t channels;
    fade_spatial image;
    int64_t batch;
    const void *x, *dy;
    const float *weight, *mean, *inverse_root;
    void* dx; /* may be dy */
    float *dweight, *dbias;
} fade_batch_norm_gradient_args;
FADE_API void fade_batch_norm_gradient_init(fade_batch_norm_gradient_args*, size_t size);
FADE_API fade_status fade_batch_norm_gradient(fade_device*, const fade_batch_norm_gradient_args*,
                                              const fade_options*);

/* A filter and a bias with which a convolution alone computes what it and fade_batch_norm_inference compute
 * together. */
typedef struct fade_fold_args {
    size_t size;
    fade_dtype in;
    int64_t filters, elements; /* of one filter: taps times channels */
    double epsilon;
    const void* filter;
    void* folded;                                  /* may be filter */
    const float* bias;                             /* of the convolution; null: 0 */
    float* folded_bias;                            /* may be bias */
    const float *weight, *shift, *mean, *variance; /* of the normalisation; shift is its bias */
} fade_fold_args;
FADE_API void fade_fold_init(fade_fold_args*, size_t size);
FADE_API fade_status fade_fold_into_filter(fade_device*, const fade_fold_args*, const fade_options*);

/* ---- images of another size, and samples at points ---- */

typedef int32_t fade_upsample_mode;
enum {
    FADE_UPSAMPLE_NEAREST = 0,       /* pixel floor(o * input / output) */
    FADE_UPSAMPLE_NEAREST_EXACT = 1, /* pixel floor((o + 1/2) * input / output) */
    FADE_UPSAMPLE_LINEAR = 2         /* between neighbours, along each dimension */
};

/* A call reads x and writes y; its gradient reads dy and writes dx. */
typedef struct fade_upsample_args {
    size_t size;
    fade_dtype in;
    fade_conv_layout layout;
    int32_t channels;
    fade_upsample_mode mode;
    int32_t align_corners;      /* linear: corners of both lie on each other */
    fade_spatial input, output; /* sizes of x and y; 1 unless set */
    int64_t batch;
    const void* x;
    void* y;
    const void* dy;
    void* dx;
} fade_upsample_args;
FADE_API void fade_upsample_init(fade_upsample_args*, size_t size);
FADE_API fade_status fade_upsample(fade_device*, const fade_upsample_args*, const fade_options*);
FADE_API fade_status fade_upsample_gradient(fade_device*, const fade_upsample_args*, const fade_options*);

typedef int32_t fade_grid_mode;
enum { FADE_GRID_LINEAR = 0, FADE_GRID_NEAREST = 1 };
typedef int32_t fade_grid_padding;
enum { FADE_GRID_ZEROS = 0, FADE_GRID_BORDER = 1, FADE_GRID_REFLECTION = 2 };

/* y[n, o] = x[n] at the point grid[n, o]. The gradient reads x (where dgrid is wanted), grid and dy, and
 * writes dx and dgrid, each where it is not null. */
typedef struct fade_grid_sample_args {
    size_t size;
    fade_dtype in;
    fade_conv_layout layout;
    int32_t channels;
    int32_t dimensions; /* coordinates of a point: 2 (w, h; unless set) or 3 (w, h, d) */
    fade_grid_mode mode;
    fade_grid_padding padding;
    int32_t align_corners;
    fade_spatial input, output; /* sizes of x and y; 1 unless set */
    int64_t batch;
    const void* x;
    const float* grid; /* [batch, outputs, dimensions] */
    void* y;
    const void* dy;
    void* dx;
    float* dgrid;
} fade_grid_sample_args;
FADE_API void fade_grid_sample_init(fade_grid_sample_args*, size_t size);
FADE_API fade_status fade_grid_sample(fade_device*, const fade_grid_sample_args*, const fade_options*);
FADE_API fade_status fade_grid_sample_gradient(fade_device*, const fade_grid_sample_args*,
                                               const fade_options*);

#ifdef __cplusplus
}
#endif
#endif
