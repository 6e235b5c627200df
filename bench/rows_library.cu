// Row operators on tensors of another program, as libraries: bench/rows_h200.py builds them and calls them.
// ROWS_PART says which operators: 0 norms, 1 softmaxes and losses, 2 reductions. ROWS_F32: of f32, else of
// bf16.
#include "device_of_stream.hpp"
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>

namespace {

/// 0, or -1 where the call was refused.
template <class F>
int done(F f) {
    try {
        f();
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return -1;
    }
}

}  // namespace

#if ROWS_PART == 0
#define FADE_ROW_FUNCTIONS(NAME, T)                                                                          \
    extern "C" int rms_norm_##NAME(cudaStream_t s, long rows, long columns, const T* x, const T* residual,   \
                                   T* sum, const T* w, T* y, float* root) {                                  \
        return done([&] {                                                                                    \
            fade::rms_norm<T>(                                                                               \
                device_of(s), {.rows = rows, .columns = columns},                                            \
                {.x = x, .residual = residual, .sum = sum, .weight = w, .y = y, .inverse_root = root});      \
        });                                                                                                  \
    }                                                                                                        \
    extern "C" int layer_norm_##NAME(cudaStream_t s, long rows, long columns, const T* x, const T* w,        \
                                     const T* b, T* y, float* mean, float* root) {                           \
        return done([&] {                                                                                    \
            fade::layer_norm<T>(                                                                             \
                device_of(s), {.rows = rows, .columns = columns},                                            \
                {.x = x, .weight = w, .bias = b, .y = y, .mean = mean, .inverse_root = root});               \
        });                                                                                                  \
    }                                                                                                        \
    extern "C" int layer_norm_gradient_##NAME(cudaStream_t s, long rows, long columns, const T* h,           \
                                              const T* dy, const T* w, const float* mean, const float* root, \
                                              T* dx, T* dw, T* db) {                                         \
        return done([&] {                                                                                    \
            fade::layer_norm_gradient<T>(device_of(s), {.rows = rows, .columns = columns},                   \
                                         {.h = h,                                                            \
                                          .dy = dy,                                                          \
                                          .weight = w,                                                       \
                                          .mean = mean,                                                      \
                                          .inverse_root = root,                                              \
                                          .dx = dx,                                                          \
                                          .dweight = dw,                                                     \
                                          .dbias = db});                                                     \
        });                                                                                                  \
    }
#elif ROWS_PART == 1
#define FADE_ROW_FUNCTIONS(NAME, T)                                                                          \
    extern "C" int softmax_##NAME(cudaStream_t s, long rows, long columns, const T* x, T* y) {               \
        return done([&] { fade::softmax<T>(device_of(s), {rows, columns}, x, y); });                         \
    }                                                                                                        \
    extern "C" int log_softmax_##NAME(cudaStream_t s, long rows, long columns, const T* x, T* y) {           \
        return done([&] { fade::log_softmax<T>(device_of(s), {rows, columns}, x, y); });                     \
    }                                                                                                        \
    extern "C" int softmax_gradient_##NAME(cudaStream_t s, long rows, long columns, const T* y, const T* dy, \
                                           T* dx) {                                                          \
        return done([&] { fade::softmax_gradient<T>(device_of(s), {rows, columns}, y, dy, dx); });           \
    }                                                                                                        \
    extern "C" int cross_entropy_##NAME(cudaStream_t s, long rows, long columns, const T* x,                 \
                                        const int* labels, float* loss, float* log_sum) {                    \
        return done([&] {                                                                                    \
            fade::cross_entropy<T>(device_of(s), {.rows = rows, .columns = columns},                         \
                                   {x, labels, loss, log_sum});                                              \
        });                                                                                                  \
    }
#elif ROWS_PART == 2
#define FADE_ROW_FUNCTIONS(NAME, T)                                                                          \
    extern "C" int sum_##NAME(cudaStream_t s, long rows, long columns, int by_columns, const T* x, T* out) { \
        return done([&] {                                                                                    \
            fade::sum(device_of(s), {rows, columns, by_columns ? fade::along::columns : fade::along::rows},  \
                      x, out);                                                                               \
        });                                                                                                  \
    }                                                                                                        \
    extern "C" int argmax_##NAME(cudaStream_t s, long rows, long columns, const T* x, int* places) {         \
        return done([&] { fade::argmax(device_of(s), {rows, columns}, x, places); });                        \
    }                                                                                                        \
    extern "C" int top_k_##NAME(cudaStream_t s, long rows, long columns, int k, const T* x, T* values,       \
                                int* places) {                                                               \
        return done([&] { fade::top_k(device_of(s), {rows, columns, k}, x, values, places); });              \
    }
#endif

#ifdef ROWS_F32
FADE_ROW_FUNCTIONS(f32, float)
#else
FADE_ROW_FUNCTIONS(bf16, fade::bf16)
#endif
