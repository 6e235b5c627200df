/* FADE in C99: the operations of the C++ headers, for programs in C and whatever can call C.
 *
 * Every function that can fail returns a fade_status. Where it is not FADE_OK nothing was queued or written,
 * and fade_last_error() says which argument had which value, and the rule that it broke. No exception leaves
 * the library.
 *
 * A struct of arguments begins with its size, so that later versions can add fields at its end: call its
 * _init function with sizeof the struct, which sets the size and the defaults, and then set what you want.
 * Sizes, strides and leading dimensions count elements. Pointers are to memory that the device of the call
 * can read and write; a null pointer means "not wanted". Matrices are row-major. A field whose comment names
 * none keeps the rule of the C++ field of the same name. */
#ifndef FADE_H
#define FADE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define FADE_API
#else
#define FADE_API __attribute__((visibility("default")))
#endif

/* ---- what went wrong ---- */

typedef int32_t fade_status;
enum {
    FADE_OK = 0,
    FADE_INVALID = 1,     /* an argument cannot be */
    FADE_UNSUPPORTED = 2, /* this library holds no kernel for it, or no such device */
    FADE_RUNTIME = 3,     /* the vendor's runtime refused */
    FADE_NO_MEMORY = 4,
    FADE_INTERNAL = 5
};

/* The last refusal of this thread. Strings live until the next call that this thread makes. */
typedef struct fade_error {
    size_t size;
    fade_status status;
    const char* argument; /* "lda" */
    const char* value;    /* "3" */
    const char* rule;     /* "a row of A has 8 elements, so ..." */
    const char* message;  /* the three in one sentence */
} fade_error;

/* Never null; its status is FADE_OK where nothing was refused yet. */
FADE_API const fade_error* fade_last_error(void);

/* "0.1.0" */
FADE_API const char* fade_version(void);

/* ---- types ---- */

typedef int32_t fade_dtype;
enum {
    FADE_F64 = 0,
    FADE_F32 = 1,
    FADE_F16 = 2,
    FADE_BF16 = 3,
    FADE_I8 = 4,
    FADE_I32 = 5,
    FADE_F8E4M3 = 6,
    FADE_F8E5M2 = 7,
    FADE_F8E4M3FNUZ = 8,
    FADE_F8E5M2FNUZ = 9
};

/* ---- devices ---- */

/* A device serves one thread at a time, and refuses a second one that calls meanwhile. */
typedef struct fade_device fade_device;

typedef struct fade_device_config {
    size_t size;
    int32_t threads;       /* host and emulated: threads; 0: one a core */
    int32_t compute_units; /* emulated, hip: what the selector counts on; 0: the device's own number */
} fade_device_config;
FADE_API void fade_device_config_init(fade_device_config*, size_t size);

/* The kinds of device that this library was built with: "host", "emulated:gfx942", "hip", "cuda". */
FADE_API int32_t fade_kind_count(void);
FADE_API const char* fade_kind(int32_t index); /* null where there is none */
/* How many devices of a kind there are now; 1 for host and emulated ones, 0 where the kind is unknown. */
FADE_API int32_t fade_device_count(const char* kind);

/* name: "host", "emulated:ARCH", "hip:N", "cuda:N". config may be null. */
FADE_API fade_status fade_device_open(const char* name, const fade_device_config* config, fade_device** out);
/* Waits for nothing: what is queued must be done. Null is no device, and nothing happens. */
FADE_API void fade_device_close(fade_device*);
FADE_API const char* fade_device_name(const fade_device*);

/* ---- what a call says of itself ---- */

typedef struct fade_report fade_report;
enum {
    FADE_REPORT_REQUESTED = 0, /* the problem in words */
    FADE_REPORT_CHOSEN = 1,    /* the kernel and its policy */
    FADE_REPORT_WHY = 2,
    FADE_REPORT_DEVICE = 3,
    FADE_REPORT_ARCH = 4,
    FADE_REPORT_EVIDENCE = 5
};
/* A string that lives as long as the report; null for a field that there is not. */
FADE_API const char* fade_report_text(const fade_report*, int32_t field);
FADE_API int32_t
fade_report_fallback(const fade_report*); /* 1 where something slower than necessary was chosen */
FADE_API void fade_report_close(fade_report*);

/* What a call would launch. */
typedef struct fade_plan fade_plan;
typedef struct fade_launch {
    size_t size;
    const void* entry; /* what the vendor's runtime knows the kernel by; null on a CPU */
    int32_t grid[3], block[3];
    int32_t dynamic_shared_bytes;
    int32_t cluster;       /* blocks, neighbours in x, that are launched together; 1 without clusters */
    const void* arguments; /* they live as long as the plan */
    size_t argument_bytes;
} fade_launch;
FADE_API size_t fade_plan_workspace_bytes(const fade_plan*);
FADE_API int32_t fade_plan_launch_count(const fade_plan*);
/* Fills as much of *out as its size says; FADE_INVALID where the plan has no such launch. */
FADE_API fade_status fade_plan_launch(const fade_plan*, int32_t index, fade_launch* out);
FADE_API void fade_plan_close(fade_plan*);

/* Policies that were timed (fade_tuning.h). */
typedef struct fade_tuning fade_tuning;

/* How a call is made. A null pointer in its place means the defaults. */
typedef struct fade_options {
    size_t size;
    void* stream; /* hipStream_t or cudaStream_t; null: the null stream. Host and emulated take null alone */
    void* workspace;          /* memory of the device; null: the device's own */
    size_t workspace_bytes;   /* fade_plan_workspace_bytes() says how much is needed */
    int32_t strict;           /* 1: what the report would call a fallback is refused */
    fade_report** report;     /* where given, gets a report, to be closed by the caller */
    fade_plan** plan;         /* where given, nothing runs: gets a plan, to be closed by the caller */
    const fade_tuning* tuned; /* asked for a policy: fade_tuning.h says by which calls */
} fade_options;
FADE_API void fade_options_init(fade_options*, size_t size);

/* ---- matrix multiplication ---- */

typedef int32_t fade_layout; /* n: as written (A m x k, B k x n); t: transposed (A k x m, B n x k) */
enum { FADE_NN = 0, FADE_NT = 1, FADE_TN = 2, FADE_TT = 3 };

typedef int32_t fade_stage_kind;
enum {
    FADE_BIAS = 0,     /* values: one a column of D */
    FADE_BIAS_COL = 1, /* values: one a row of D */
    FADE_RELU = 2,
    FADE_GELU = 3,
    FADE_GELU_TANH = 4,
    FADE_SILU = 5,
    FADE_SIGMOID = 6,
    FADE_CLAMP = 7,    /* to low and high */
    FADE_SCALE = 8,    /* by low */
    FADE_RESIDUAL = 9, /* values: a matrix of D's shape that is added */
    FADE_MUL = 10,     /* and one that is multiplied with */
    FADE_DRELU = 11,   /* gradients: values are what the activation was given */
    FADE_DGELU = 12,
    FADE_DSILU = 13,
    FADE_SCALE_ROWS = 14,    /* values: one a row of D, a factor */
    FADE_SCALE_COLUMNS = 15, /* values: one a column of D, a factor */
    FADE_BATCH_BIAS = 16,    /* values: one a column of D for each batch or group, batch_stride apart */
    FADE_AUX = 17,  /* values: a matrix of D's shape that is written: what comes in, which is passed on */
    FADE_AMAX = 18, /* values: one float that becomes the largest of itself and the magnitudes that pass */
    /* Gates, of products whose results have the type of the inputs: f32, f16 or bf16, on CPUs f64 too; and of
       fade_scaled_gemm. D has n / 2 columns, f(x[2j]) * x[2j + 1]. A call has one at most, and beta 0; stages
       behind it see D's columns. Convolutions take none. */
    FADE_SWIGLU = 19,
    FADE_GEGLU = 20,
    FADE_GEGLU_TANH = 21
};

/* One stage of an epilogue. Values have the type of D, but for FADE_AMAX. */
typedef struct fade_stage {
    size_t size;
    fade_stage_kind kind;
    double low, high;     /* f64 where D is, else rounded to f32 */
    const void* values;   /* of FADE_AUX and FADE_AMAX memory that may be written */
    int64_t ld;           /* of matrices; 0: packed */
    int64_t batch_stride; /* of matrices and FADE_BATCH_BIAS; -1: packed, 0: one for the whole batch */
} fade_stage;
FADE_API void fade_stage_init(fade_stage*, size_t size);

/* D = stages(alpha op(A) op(B) + beta C), `batch` times. */
typedef struct fade_gemm_args {
    size_t size;
    fade_dtype in, out; /* of A and B; of C, D and what stages read */
    fade_layout layout;
    int32_t split_k; /* workgroups that share a tile's k; 0: as many as idle compute units call for */
    int64_t m, n, k, batch;
    double alpha, beta;
    int64_t lda, ldb, ldc, ldd;                     /* 0: packed rows */
    int64_t stride_a, stride_b, stride_c, stride_d; /* from matrix to matrix; -1: packed, 0: one for all */
    const void *a, *b, *c;
    void* d;
    const fade_stage* stages;
    int32_t stage_count; /* at most 8 */
    fade_dtype in_b;     /* of B where it is another 8-bit float than A's `in`, both OCP's or both FNUZ; 0: as
                            in */
    void *row_sums, *column_sums; /* the sums of D as it is stored: m values a product; and one a column of D,
                                     over all products of a batch. Or null */
    fade_dtype sums;              /* of both sums: FADE_F32 unless set, or as out */
} fade_gemm_args;
FADE_API void fade_gemm_init(fade_gemm_args*, size_t size);
FADE_API fade_status fade_gemm(fade_device*, const fade_gemm_args*, const fade_options*);

/* D[i] = stages(alpha op(A[i]) op(B[i]) + beta C[i]): products of one shape whose matrices lie where tables
 * of pointers say, which the kernel reads. Pointers of A, B and C may repeat; those of D lead to matrices
 * that lie apart. Stages see the number of the product as batch. */
typedef struct fade_batched_gemm_args {
    size_t size;
    fade_dtype in, out; /* of A and B; of C, D and what stages read */
    fade_layout layout;
    int32_t
        alignment; /* bytes that all pointers of A and B are multiples of, a power of two; 16 unless set */
    int32_t check_pointers; /* 1: wrong pointers are refused (a GPU waits for it); 0: not looked at;
                               -1: the device's way */
    int32_t stage_count;    /* at most 8 */
    int64_t m, n, k, batch;
    double alpha, beta;
    int64_t lda, ldb, ldc, ldd; /* 0: packed rows */
    const void* const* a;       /* tables of `batch` pointers each, in memory of the device */
    const void* const* b;
    const void* const* c;
    void* const* d; /* may be c */
    const fade_stage* stages;
} fade_batched_gemm_args;
FADE_API void fade_batched_gemm_init(fade_batched_gemm_args*, size_t size);
FADE_API fade_status fade_batched_gemm(fade_device*, const fade_batched_gemm_args*, const fade_options*);

/* ---- convolution ---- */

/* Sizes or numbers along the dimensions of an image; of two dimensions d is what one that is not there has.
 */
typedef struct fade_spatial {
    int32_t d, h, w;
} fade_spatial;

typedef int32_t fade_conv_layout;
enum {
    FADE_CHANNELS_LAST =
        0, /* images [batch, d, h, w, channels], filters [filters, d, h, w, channels / groups] */
    FADE_CHANNELS_FIRST =
        1 /* images [batch, channels, d, h, w], filters [filters, channels / groups, d, h, w] */
};

/* How a convolution is computed. One that cannot compute a call refuses it. */
typedef int32_t fade_conv_algorithm;
enum {
    FADE_CONV_AUTOMATIC = 0,
    FADE_CONV_IMPLICIT_GEMM = 1, /* a product of matrices of which one is never stored */
    FADE_CONV_DIRECT = 2,        /* taps summed by the pixels that see them; a group has one channel */
    FADE_CONV_IM2COL = 3,        /* a product of matrices of which one is laid out in the workspace */
    FADE_CONV_WINOGRAD_F2 = 4,   /* F(2 x 2, 3 x 3): 2.25 times fewer products, sums less exact */
    FADE_CONV_WINOGRAD_F4 = 5,   /* F(4 x 4, 3 x 3): 4 times fewer products, sums still less exact */
    FADE_CONV_MEC = 6,           /* windows are laid out by lines, where they overlap */
    FADE_CONV_FFT = 7            /* spectra of tiles, for large filters; sums less exact */
};

/* Result = stages(alpha conv + beta C). Tensors are packed; dimensions that are not there have size 1. A row
 * of a stage is a pixel of the result, of backward_weights a filter; its matrices have channels last. */
typedef struct fade_conv_args {
    size_t size;
    fade_dtype in, out; /* of x, w and dy; of C, the result and what stages read */
    fade_conv_layout layout;
    int32_t channels, filters, groups;
    int32_t split_k; /* workgroups that share a tile's k; 0: as many as idle compute units call for */
    fade_spatial input, filter, stride, dilation; /* 1 unless set */
    fade_spatial pad, pad_end;                    /* zeros before x and behind it; pad_end -1: as pad */
    int64_t batch;
    double alpha, beta;
    const void *x, *w, *dy; /* a pass reads two of them */
    const void* c;          /* of the result's shape */
    void* result;           /* y, dx or dw; may be c */
    const fade_stage* stages;
    int32_t stage_count; /* at most 8 */
    fade_conv_algorithm algorithm;
    void* db; /* of fade_conv_backward_weights alone: the sums of dy, one a filter, of the results' type; or
                 null */
    const int32_t* w_zero; /* of FADE_I8 in fade_conv_forward: a number a filter, which stands for w - w_zero;
                              or null */
    int32_t x_zero; /* of FADE_I8 in fade_conv_forward: x stands for x - x_zero, and pixels beyond it are
                       x_zero */
} fade_conv_args;
FADE_API void fade_conv_init(fade_conv_args*, size_t size);
FADE_API fade_status fade_conv_forward(fade_device*, const fade_conv_args*, const fade_options*);
FADE_API fade_status fade_conv_backward_data(fade_device*, const fade_conv_args*, const fade_options*);
FADE_API fade_status fade_conv_backward_weights(fade_device*, const fade_conv_args*, const fade_options*);

/* ---- attention ---- */

typedef int32_t fade_causal;
enum { FADE_CAUSAL_NONE = 0, FADE_CAUSAL_BOTTOM_RIGHT = 1, FADE_CAUSAL_TOP_LEFT = 2 };

/* Elements from one batch, position and head to the next; all 0: packed as [batch, position, head, head_dim].
 */
typedef struct fade_strides {
    int64_t batch, position, head;
} fade_strides;

/* O = softmax(rules(scale Q K^T)) V. */
typedef struct fade_attention_args {
    size_t size;
    fade_dtype in, out; /* of q, k and v; of o */
    fade_causal causal;
    int32_t check_indices; /* 1: wrong lengths and tables are refused (a GPU waits for it); 0: not looked at;
                              -1: the device's way */
    int64_t batch, heads, kv_heads, seq_q, seq_k, head_dim; /* kv_heads 0: as many as heads */
    int64_t head_dim_v;                                     /* 0: as head_dim */
    int64_t window_left, window_right;                      /* -1: all */
    double scale;                                           /* 0: 1 / sqrt(head_dim) */
    double softcap, dropout;
    uint64_t seed, offset;
    int64_t page_size, table_width, page_count;
    fade_strides q_strides, k_strides, v_strides, o_strides;
    int64_t bias_batch, bias_head, bias_query; /* strides of the bias; 0: the same for all; -1: packed */
    const void *q, *k, *v;
    void* o;
    float* lse;           /* [batch, heads, seq_q] */
    const float* alibi;   /* [heads], or with alibi_stride [batch, heads] */
    const float* bias;    /* [batch, heads, seq_q, seq_k] */
    const float* sink;    /* [heads] */
    const int* lengths_q; /* [batch + 1], cumulative */
    const int* lengths_k;
    const int* counts_q; /* [batch] */
    const int* counts_k;
    const int* block_table; /* [batch, table_width] */
    const float *scale_q, *scale_k, *scale_v;
    int32_t scales_per_head;
    int32_t split_kv;     /* workgroups that share the keys of a tile of queries; 0: the selector's number */
    const int* starts_k;  /* [batch]: the first key of each sequence; those before it are not there */
    int64_t alibi_stride; /* slopes from one sequence to the next; 0: all have the same */
} fade_attention_args;
FADE_API void fade_attention_init(fade_attention_args*, size_t size);
FADE_API fade_status fade_attention(fade_device*, const fade_attention_args*, const fade_options*);

/* Writes new keys and values behind what a cache holds, and turns keys and queries by their positions. */
typedef struct fade_append_args {
    size_t size;
    fade_dtype in, cache; /* of new_k, new_v and q; of k, v and q_out */
    int32_t interleaved;  /* 1: elements 2 i and 2 i + 1 turn together; 0: i and i + rotary_dim / 2 */
    int64_t batch, heads, kv_heads, new_positions, capacity, head_dim, rotary_dim, rotary_stride;
    int64_t page_size, table_width, page_count;
    fade_strides new_k_strides, new_v_strides, k_strides, v_strides, q_strides, q_out_strides;
    const void *new_k, *new_v;
    void *k, *v;
    const void* q;
    void* q_out;
    const void *cos, *sin;    /* [capacity, rotary_dim / 2], of `tables` */
    const int* cache_lengths; /* [batch] */
    const int* new_lengths;   /* [batch + 1], cumulative */
    const int* block_table;
    fade_dtype tables; /* of cos and sin: FADE_F32, or `in` */
} fade_append_args;
FADE_API void fade_append_init(fade_append_args*, size_t size);
FADE_API fade_status fade_append_kv(fade_device*, const fade_append_args*, const fade_options*);

/* 8-bit floats and their factors. x and out are [batch, positions, heads, head_dim]. */
typedef struct fade_quantize_args {
    size_t size;
    fade_dtype in, out;
    int32_t per_head;
    int64_t batch, positions, heads, head_dim;
    fade_strides x_strides, out_strides;
    const void* x;
    void* out_elements;
    float* scales; /* [1] or [heads] */
} fade_quantize_args;
FADE_API void fade_quantize_init(fade_quantize_args*, size_t size);
FADE_API fade_status fade_quantize(fade_device*, const fade_quantize_args*, const fade_options*);

/* Turns heads by the positions of their tokens: y(a) = x(a) cos - x(b) sin, y(b) = x(b) cos + x(a) sin; its
 * gradient turns back, x being dy and y dx. x and y are [tokens, heads, head_dim]. Token t stands at
 * positions[t], or without positions at first_position + t % sequence; one beyond the tables is not written.
 */
typedef struct fade_rotary_args {
    size_t size;
    fade_dtype in, out, tables; /* of x, y, and cos and sin: FADE_F32, or `in` */
    int32_t interleaved;        /* 1: elements 2 i and 2 i + 1 turn together; 0: i and i + rotary_dim / 2 */
    int64_t tokens, heads, head_dim;
    int64_t rotary_dim; /* first elements of a head that turn; -1: all */
    int64_t capacity, first_position;
    int64_t sequence; /* tokens of a sequence, without positions; 0: all */
    int64_t table_stride, x_stride, y_stride, x_head_stride, y_head_stride; /* -1: packed */
    const void* x;
    void* y;               /* may be x, with its type and strides */
    const void *cos, *sin; /* [capacity, rotary_dim / 2] */
    const int* positions;  /* [tokens] */
} fade_rotary_args;
FADE_API void fade_rotary_init(fade_rotary_args*, size_t size);
FADE_API fade_status fade_rotary(fade_device*, const fade_rotary_args*, const fade_options*);
FADE_API fade_status fade_rotary_gradient(fade_device*, const fade_rotary_args*, const fade_options*);

/* ---- rows ---- */

/* A stride of -1 means packed rows everywhere below. */
typedef struct fade_norm_args {
    size_t size;
    fade_dtype in, out, weights; /* of x, residual and sum; of y; of weight and bias */
    int64_t rows, columns;
    double epsilon, weight_offset;
    int64_t x_stride, residual_stride, sum_stride, y_stride;
    const void *x, *residual;
    void* sum;
    const void *weight, *bias; /* bias: layer_norm */
    void* y;
    float *scales, *mean, *inverse_root; /* of each row */
} fade_norm_args;
FADE_API void fade_norm_init(fade_norm_args*, size_t size);
FADE_API fade_status fade_rms_norm(fade_device*, const fade_norm_args*, const fade_options*);
FADE_API fade_status fade_layer_norm(fade_device*, const fade_norm_args*, const fade_options*);

typedef struct fade_norm_gradient_args {
    size_t size;
    fade_dtype in, gradient, weights; /* of h; of dy, dsum and dx; of weight, dweight and dbias */
    int64_t rows, columns;
    double weight_offset;
    int64_t h_stride, dy_stride, dsum_stride, dx_stride;
    const void *h, *dy, *dsum, *weight;
    const float *mean, *inverse_root;
    void *dx, *dweight, *dbias;
} fade_norm_gradient_args;
FADE_API void fade_norm_gradient_init(fade_norm_gradient_args*, size_t size);
FADE_API fade_status fade_rms_norm_gradient(fade_device*, const fade_norm_gradient_args*,
                                            const fade_options*);
FADE_API fade_status fade_layer_norm_gradient(fade_device*, const fade_norm_gradient_args*,
                                              const fade_options*);

typedef struct fade_softmax_args {
    size_t size;
    fade_dtype in, out;
    int64_t rows, columns, x_stride, y_stride;
    const void* x;
    void* y;
} fade_softmax_args;
FADE_API void fade_softmax_init(fade_softmax_args*, size_t size);
FADE_API fade_status fade_softmax(fade_device*, const fade_softmax_args*, const fade_options*);
FADE_API fade_status fade_log_softmax(fade_device*, const fade_softmax_args*, const fade_options*);

typedef struct fade_softmax_gradient_args {
    size_t size;
    fade_dtype in, out; /* of y and dy; of dx */
    int64_t rows, columns, y_stride, dy_stride, dx_stride;
    const void *y, *dy;
    void* dx;
} fade_softmax_gradient_args;
FADE_API void fade_softmax_gradient_init(fade_softmax_gradient_args*, size_t size);
FADE_API fade_status fade_softmax_gradient(fade_device*, const fade_softmax_gradient_args*,
                                           const fade_options*);
FADE_API fade_status fade_log_softmax_gradient(fade_device*, const fade_softmax_gradient_args*,
                                               const fade_options*);

typedef struct fade_cross_entropy_args {
    size_t size;
    fade_dtype in;
    int32_t ignored_label;
    int64_t rows, columns;
    double smoothing;
    int64_t x_stride;
    const void* x;
    const int* labels;
    float *loss, *log_sum; /* of each row */
} fade_cross_entropy_args;
FADE_API void fade_cross_entropy_init(fade_cross_entropy_args*, size_t size);
FADE_API fade_status fade_cross_entropy(fade_device*, const fade_cross_entropy_args*, const fade_options*);

typedef struct fade_cross_entropy_gradient_args {
    size_t size;
    fade_dtype in, gradient; /* of x; of dx */
    int32_t ignored_label;
    int64_t rows, columns;
    double smoothing;
    int64_t x_stride, dx_stride;
    const void* x;
    const int* labels;
    const float *log_sum, *dloss; /* of each row; dloss null: 1 */
    void* dx;
} fade_cross_entropy_gradient_args;
FADE_API void fade_cross_entropy_gradient_init(fade_cross_entropy_gradient_args*, size_t size);
FADE_API fade_status fade_cross_entropy_gradient(fade_device*, const fade_cross_entropy_gradient_args*,
                                                 const fade_options*);

/* One value of each row, or of each column. */
typedef struct fade_reduce_args {
    size_t size;
    fade_dtype in, out;
    int32_t of_columns; /* 0: a value of each row; 1: a value of each column */
    int64_t rows, columns, x_stride;
    const void* x;
    void* values; /* not of argmax */
    int* places;  /* max, argmax: where the largest stands first */
} fade_reduce_args;
FADE_API void fade_reduce_init(fade_reduce_args*, size_t size);
FADE_API fade_status fade_sum(fade_device*, const fade_reduce_args*, const fade_options*);
FADE_API fade_status fade_mean(fade_device*, const fade_reduce_args*, const fade_options*);
FADE_API fade_status fade_max(fade_device*, const fade_reduce_args*, const fade_options*);
FADE_API fade_status fade_argmax(fade_device*, const fade_reduce_args*, const fade_options*);

/* The k largest of each row, or of each column, the largest first. */
typedef struct fade_top_k_args {
    size_t size;
    fade_dtype in, out;
    int32_t k; /* 1 to 64 */
    int64_t rows, columns, x_stride;
    const void* x;
    void* values;       /* [rows, k]; of columns [k, columns] */
    int* places;        /* likewise */
    int32_t of_columns; /* 0: those of each row; 1: of each column */
} fade_top_k_args;
FADE_API void fade_top_k_init(fade_top_k_args*, size_t size);
FADE_API fade_status fade_top_k(fade_device*, const fade_top_k_args*, const fade_options*);

/* ---- primitives: lists of fewer than 2^31 elements ---- */

/* keys in order; of pairs also the values that stood beside them. */
typedef struct fade_sort_args {
    size_t size;
    fade_dtype in;
    int32_t descending;
    int32_t value_bytes; /* of sort_pairs: 4 or 8 */
    int64_t count;
    const void* keys;
    const void* values;
    void* sorted;
    void* sorted_values;
} fade_sort_args;
FADE_API void fade_sort_init(fade_sort_args*, size_t size);
FADE_API fade_status fade_sort(fade_device*, const fade_sort_args*, const fade_options*);
FADE_API fade_status fade_sort_pairs(fade_device*, const fade_sort_args*, const fade_options*);

/* out[i] = x[0] + ... + x[i], or exclusive `first` + x[0] + ... + x[i - 1]. */
typedef struct fade_scan_args {
    size_t size;
    fade_dtype in;
    int32_t any_order; /* 1: floats may be added in an order that differs from call to call on GPUs */
    double first;      /* of exclusive scans, as the type of x holds it; 0 of inclusive ones */
    int64_t count;
    const void* x;
    void* out; /* may be x */
} fade_scan_args;
FADE_API void fade_scan_init(fade_scan_args*, size_t size);
FADE_API fade_status fade_inclusive_scan(fade_device*, const fade_scan_args*, const fade_options*);
FADE_API fade_status fade_exclusive_scan(fade_device*, const fade_scan_args*, const fade_options*);

/* The elements whose flag is not 0, in their order. */
typedef struct fade_select_args {
    size_t size;
    fade_dtype in;
    int64_t count;
    const void* x;
    const uint8_t* flags;
    void* out;     /* room for all */
    int* selected; /* how many there are */
} fade_select_args;
FADE_API void fade_select_init(fade_select_args*, size_t size);
FADE_API fade_status fade_select(fade_device*, const fade_select_args*, const fade_options*);

typedef int32_t fade_reduce_op;
enum { FADE_REDUCE_SUM = 0, FADE_REDUCE_MIN = 1, FADE_REDUCE_MAX = 2 };

/* One value of a list, or of each of its segments [offsets[s], offsets[s + 1]); results of 16-bit types are
 * FADE_F32. */
typedef struct fade_reduce_list_args {
    size_t size;
    fade_dtype in;
    fade_reduce_op op;
    int64_t count;
    int64_t segments;   /* of segmented_reduce */
    const int* offsets; /* of segmented_reduce: [segments + 1] */
    const void* x;
    void* out; /* [1] or [segments] */
} fade_reduce_list_args;
FADE_API void fade_reduce_list_init(fade_reduce_list_args*, size_t size);
FADE_API fade_status fade_reduce(fade_device*, const fade_reduce_list_args*, const fade_options*);
FADE_API fade_status fade_segmented_reduce(fade_device*, const fade_reduce_list_args*, const fade_options*);

/* How many elements lie in each of equal bins in [lower, upper). */
typedef struct fade_histogram_args {
    size_t size;
    fade_dtype in;
    int32_t bins; /* 1 to 65536 */
    double lower, upper;
    int64_t count;
    const void* x;
    int* counts; /* [bins] */
} fade_histogram_args;
FADE_API void fade_histogram_init(fade_histogram_args*, size_t size);
FADE_API fade_status fade_histogram(fade_device*, const fade_histogram_args*, const fade_options*);

/* The k largest elements of a list and where they stand. */
typedef struct fade_list_top_k_args {
    size_t size;
    fade_dtype in;
    int64_t count, k;
    const void* x;
    void* values; /* [k] */
    int* places;  /* [k] */
} fade_list_top_k_args;
FADE_API void fade_list_top_k_init(fade_list_top_k_args*, size_t size);
FADE_API fade_status fade_list_top_k(fade_device*, const fade_list_top_k_args*, const fade_options*);

/* ---- groups of rows, and mixtures of experts ---- */

/* D = stages(alpha A op(B[g]) + beta C): the rows of each group g times a matrix of its own. Group g has the
 * rows from the end of the group before it to ends[g]; rows behind the last end are not written. Stages see
 * the group as batch, and matrices have the rows of all groups. */
typedef struct fade_grouped_gemm_args {
    size_t size;
    fade_dtype in, out; /* of A and B; of C, D and what stages read */
    fade_layout layout; /* FADE_NT unless set: each B is n x k; FADE_NN: k x n */
    int32_t groups;
    int32_t check_indices; /* 1: wrong ends and rows are refused (a GPU waits for it); 0: not looked at;
                              -1: the device's way */
    int32_t stage_count;   /* at most 8 */
    int64_t rows, n, k;    /* rows: of D, of all groups */
    int64_t rows_of_a;     /* with row_list: rows that A has */
    double alpha, beta;
    int64_t lda, ldb, ldc, ldd; /* 0: packed rows */
    int64_t stride_b;           /* from B to B; -1: packed, 0: one for all groups */
    const void *a, *b, *c;
    void* d;
    const int* ends;     /* [groups]: the row behind the last one of each group */
    const int* row_list; /* [rows]: of each row of D the row of A; null: the same */
    const fade_stage* stages;
} fade_grouped_gemm_args;
FADE_API void fade_grouped_gemm_init(fade_grouped_gemm_args*, size_t size);
FADE_API fade_status fade_grouped_gemm(fade_device*, const fade_grouped_gemm_args*, const fade_options*);

/* D[g] = stages(alpha A[g]^T B[g] + beta C[g]) of the rows of A and B that each group g has, which are those
 * of fade_grouped_gemm: gradients of the weights of experts. A group without rows gets beta C. Stages see the
 * group as batch. */
typedef struct fade_grouped_k_gemm_args {
    size_t size;
    fade_dtype in, out; /* of A and B; of C, D and what stages read */
    int32_t groups;
    int32_t check_indices; /* as of fade_grouped_gemm_args */
    int32_t stage_count;   /* at most 8 */
    int64_t m, n, k;       /* columns of A, of B; rows of both, of all groups */
    double alpha, beta;
    int64_t lda, ldb, ldc, ldd; /* 0: packed rows */
    int64_t stride_c, stride_d; /* from matrix to matrix; -1: packed, and 0 of C: one for all groups */
    const void *a, *b, *c;      /* [k, m], [k, n], [groups, m, n] */
    void* d;                    /* [groups, m, n], behind a gate [groups, m, n / 2] */
    const int* ends;            /* [groups]: the row behind the last one of each group */
    const fade_stage* stages;
} fade_grouped_k_gemm_args;
FADE_API void fade_grouped_k_gemm_init(fade_grouped_k_gemm_args*, size_t size);
FADE_API fade_status fade_grouped_k_gemm(fade_device*, const fade_grouped_k_gemm_args*, const fade_options*);

/* D = stages(the sum over parts of 128 k of scale_a(i, part) scale_b(part, j) times the part's A B): 8-bit
 * floats with a scale for some rows of A, or columns of B, and 128 k. */
typedef struct fade_scaled_gemm_args {
    size_t size;
    fade_dtype in,
        out; /* of A and B: an 8-bit float; of D and what stages read: FADE_BF16 unless set, FADE_F32 */
    fade_layout layout;  /* FADE_NT unless set */
    int32_t stage_count; /* at most 8 */
    int64_t m, n, k;
    int64_t lda, ldb, ldd;                     /* 0: packed rows */
    int64_t rows_per_scale, columns_per_scale; /* powers of two; 1 and 128 unless set */
    int64_t scale_a_row, scale_a_k;    /* floats from rows that share scales to the next ones; 0: packed; and
                                          from 128 k    to the next; 1 unless set */
    int64_t scale_b_column, scale_b_k; /* the same of columns of B */
    const void *a, *b;
    void* d;
    const float* scale_a; /* [ceil(m / rows_per_scale), ceil(k / 128)] */
    const float* scale_b; /* [ceil(n / columns_per_scale), ceil(k / 128)] */
    const fade_stage* stages;
} fade_scaled_gemm_args;
FADE_API void fade_scaled_gemm_init(fade_scaled_gemm_args*, size_t size);
FADE_API fade_status fade_scaled_gemm(fade_device*, const fade_scaled_gemm_args*, const fade_options*);

/* How quantised weights lie in memory; docs/weight-gemm.md says what each is. */
typedef int32_t fade_weights;
enum {
    FADE_WEIGHTS_GPTQ = 0,  /* 4 bits, words [k / 8, n]; zeros [k / group, n / 8] */
    FADE_WEIGHTS_AWQ = 1,   /* 4 bits, words [k, n / 8]; zeros [k / group, n / 8] */
    FADE_WEIGHTS_INT8 = 2,  /* rows [n, k] of signed bytes; an f32 a column */
    FADE_WEIGHTS_MXFP4 = 3, /* rows [n, k / 2] of e2m1; a power of two for 32 k */
    FADE_WEIGHTS_MXFP8 = 4, /* rows [n, k] of e4m3; likewise */
    FADE_WEIGHTS_NVFP4 = 5  /* rows [n, k / 2] of e2m1; an e4m3 for 16 k; the tensor's scale is a factor of
                               alpha */
};

/* D = stages(alpha A W + beta C) of weights in 4 or 8 bits, which become numbers of A's type on their way. */
typedef struct fade_weight_gemm_args {
    size_t size;
    fade_dtype in, out; /* of A: FADE_F16 unless set, FADE_BF16; of C, D and what stages read: the same */
    fade_weights format;
    int32_t split_k;     /* workgroups that share a tile's k; 0: as many as idle compute units call for */
    int32_t stage_count; /* at most 8 */
    int64_t m, n, k;
    double alpha, beta;
    int64_t lda, ldc, ldd; /* 0: packed rows */
    const void* a;         /* [m, k] */
    const void* weights;   /* with scales and zeros packed, and at multiples of 16 bytes, as A */
    const void* scales;    /* f16 of GPTQ and AWQ [k / group, n]; f32 [n] of INT8; bytes [n, k / 32] of MXFP4,
                              MXFP8, [n, k / 16] of NVFP4 */
    const void* zeros;     /* of GPTQ and AWQ alone */
    const void* c;         /* [m, n] */
    void* d;               /* [m, n], behind a gate [m, n / 2] */
    const fade_stage* stages;
    int64_t group; /* k that share a scale of GPTQ or AWQ: a power of two, at least 16, or -1: all; 0: the
                      format's own, 128 of these */
} fade_weight_gemm_args;
FADE_API void fade_weight_gemm_init(fade_weight_gemm_args*, size_t size);
FADE_API fade_status fade_weight_gemm(fade_device*, const fade_weight_gemm_args*, const fade_options*);

/* D = stages(alpha A W[g] + beta C) for the rows of each group g, as of fade_grouped_gemm, with weights of 4
 * or 8 bits, as of fade_weight_gemm. */
typedef struct fade_grouped_weight_gemm_args {
    size_t size;
    fade_dtype in, out; /* of A: FADE_F16 unless set, FADE_BF16; of C, D and what stages read: the same */
    fade_weights format;
    int32_t groups;
    int32_t check_indices; /* as of fade_grouped_gemm_args */
    int32_t stage_count;   /* at most 8 */
    int64_t rows, n, k;    /* rows: of D, of all groups */
    int64_t rows_of_a;     /* with row_list: rows that A has */
    int64_t group;         /* k that share a scale, as of fade_weight_gemm_args */
    double alpha, beta;
    int64_t lda, ldc, ldd; /* 0: packed rows */
    const void* a;         /* [rows, k], or [rows_of_a, k] */
    const void* weights;   /* with scales and zeros those of all groups one behind the other, each as of */
    const void* scales;    /* fade_weight_gemm_args */
    const void* zeros;
    const void* c;       /* [rows, n] */
    void* d;             /* [rows, n], behind a gate [rows, n / 2] */
    const int* ends;     /* [groups]: the row behind the last one of each group */
    const int* row_list; /* [rows]: of each row of D the row of A; null: the same */
    const fade_stage* stages;
} fade_grouped_weight_gemm_args;
FADE_API void fade_grouped_weight_gemm_init(fade_grouped_weight_gemm_args*, size_t size);
FADE_API fade_status fade_grouped_weight_gemm(fade_device*, const fade_grouped_weight_gemm_args*,
                                              const fade_options*);

typedef int32_t fade_moe_scoring;
enum { FADE_MOE_SOFTMAX = 0, FADE_MOE_SIGMOID = 1 };

/* The experts of a token's top_k largest logits, the largest first, and their weights. */
typedef struct fade_moe_route_args {
    size_t size;
    fade_dtype in; /* of logits */
    int32_t top_k; /* 1 to 64 */
    fade_moe_scoring scoring;
    int32_t renormalize; /* 1 unless set: weights of a token are divided by their sum */
    int64_t tokens, experts;
    double weight_scale;   /* factor of all weights, after that; 1 unless set */
    int64_t logits_stride; /* from token to token; -1: packed */
    const void* logits;    /* [tokens, experts] */
    int* choices;          /* [tokens, top_k] */
    float* weights;        /* [tokens, top_k] */
} fade_moe_route_args;
FADE_API void fade_moe_route_init(fade_moe_route_args*, size_t size);
FADE_API fade_status fade_moe_route(fade_device*, const fade_moe_route_args*, const fade_options*);

/* Sorts the choices of all tokens by expert: the tables of fade_grouped_gemm and fade_moe_combine. */
typedef struct fade_moe_dispatch_args {
    size_t size;
    int32_t top_k, experts;
    int64_t tokens;
    const int* choices; /* [tokens, top_k]; one outside the experts is dropped */
    int* ends;          /* [experts] */
    int* row_list;      /* [tokens * top_k]: the token of each row */
    int* slots;         /* [tokens, top_k]: the row of each choice; -1 where it was dropped */
} fade_moe_dispatch_args;
FADE_API void fade_moe_dispatch_init(fade_moe_dispatch_args*, size_t size);
FADE_API fade_status fade_moe_dispatch(fade_device*, const fade_moe_dispatch_args*, const fade_options*);

/* y[t] = the sum over j of weights[t, j] x[slots[t, j]], in the order of j. */
typedef struct fade_moe_combine_args {
    size_t size;
    fade_dtype in, out; /* of x; of y */
    int32_t top_k;
    int64_t tokens, columns;
    int64_t rows;               /* of x; a slot outside them adds nothing */
    int64_t x_stride, y_stride; /* from row to row; -1: packed */
    const void* x;              /* [rows, columns] */
    const int* slots;           /* [tokens, top_k] */
    const float* weights;       /* [tokens, top_k]; null: 1 */
    void* y;                    /* [tokens, columns] */
} fade_moe_combine_args;
FADE_API void fade_moe_combine_init(fade_moe_combine_args*, size_t size);
FADE_API fade_status fade_moe_combine(fade_device*, const fade_moe_combine_args*, const fade_options*);

#ifdef __cplusplus
}
#endif

#include <fade_images.h>    /* pooling, batch normalisation, images of another size, samples at points */
#include <fade_optimizer.h> /* steps of optimizers */
#include <fade_tuning.h>    /* policies that were timed */

#endif
