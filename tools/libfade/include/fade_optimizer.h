/* FADE in C99: steps of optimizers. A part of fade.h, which includes it; its rules hold here.
 *
 * Lists hold `count` elements. Gradients and copies are FADE_F32, FADE_F16 or FADE_BF16; parameters and the
 * state of an optimizer are f32. docs/training.md has the formulas. */
#ifndef FADE_OPTIMIZER_H
#define FADE_OPTIMIZER_H

#include <fade.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A step of stochastic gradient descent, by one pass over the parameters. */
typedef struct fade_sgd_args {
    size_t size;
    fade_dtype in, out; /* of the gradient; of the copy */
    int32_t nesterov;   /* 1: looks ahead by one step of the velocity */
    int64_t count;
    double rate;
    double momentum; /* 0: there is no velocity */
    double weight_decay;
    double loss_scale;    /* what the loss was multiplied by; 1 unless set */
    const void* gradient; /* of the scaled loss */
    float* master;        /* the parameters, updated in place */
    float* velocity;      /* updated in place, zeros at first; null without momentum */
    void* copy;           /* receives the parameters, rounded; or null */
    const float*
        nonfinite; /* one number, of fade_find_nonfinite: unless it is 0, nothing is written; or null */
} fade_sgd_args;
FADE_API void fade_sgd_init(fade_sgd_args*, size_t size);
FADE_API fade_status fade_sgd_step(fade_device*, const fade_sgd_args*, const fade_options*);

/* A step of AdamW. */
typedef struct fade_adamw_args {
    size_t size;
    fade_dtype in, out; /* of the gradient; of the copy */
    int64_t count;
    int64_t step;                        /* of those that were taken, this one counted; 1 unless set */
    double rate, beta1, beta2;           /* 1e-3, 0.9 and 0.999 unless set */
    double epsilon, weight_decay;        /* 1e-8 and 1e-2 unless set */
    double loss_scale;                   /* 1 unless set */
    const void* gradient;                /* of the scaled loss */
    float* master;                       /* the parameters, updated in place */
    float *first_moment, *second_moment; /* updated in place, zeros at first */
    void* copy;                          /* receives the parameters, rounded; or null */
    const float* nonfinite;              /* as of fade_sgd_args */
} fade_adamw_args;
FADE_API void fade_adamw_init(fade_adamw_args*, size_t size);
FADE_API fade_status fade_adamw_step(fade_device*, const fade_adamw_args*, const fade_options*);

/* *nonfinite = 1 where an element of a gradient is infinite or NaN, else 0. */
typedef struct fade_nonfinite_args {
    size_t size;
    fade_dtype in;
    int64_t count;
    const void* gradient;
    float* nonfinite; /* one number */
} fade_nonfinite_args;
FADE_API void fade_nonfinite_init(fade_nonfinite_args*, size_t size);
FADE_API fade_status fade_find_nonfinite(fade_device*, const fade_nonfinite_args*, const fade_options*);

#ifdef __cplusplus
}
#endif

#endif
