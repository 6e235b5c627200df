// Attention on tensors of another program, as a library: bench/attention_h200.py builds it and calls it.
#include "device_of_stream.hpp"
#include <fade/attention.hpp>

/// 0, or -1 where the call was refused. Tensors are packed as [batch, position, head, head_dim].
#define FADE_ATTENTION_FUNCTION(NAME, T)                                                                     \
    extern "C" int attention_##NAME(cudaStream_t stream, long batch, long heads, long positions,             \
                                    long head_dim, int causal, double scale, const T* q, const T* k,         \
                                    const T* v, T* o) {                                                      \
        try {                                                                                                \
            fade::attention_problem problem{.batch = batch,                                                  \
                                            .heads = heads,                                                  \
                                            .seq_q = positions,                                              \
                                            .seq_k = positions,                                              \
                                            .head_dim = head_dim,                                            \
                                            .scale = scale};                                                 \
            if (causal) problem.causal = fade::causal_kind::bottom_right;                                    \
            fade::attention<T>(device_of(stream), problem, {.q = q, .k = k, .v = v, .o = o});                \
            return 0;                                                                                        \
        } catch (const std::exception& e) {                                                                  \
            std::fprintf(stderr, "%s\n", e.what());                                                          \
            return -1;                                                                                       \
        }                                                                                                    \
    }

FADE_ATTENTION_FUNCTION(f16, fade::f16)
FADE_ATTENTION_FUNCTION(bf16, fade::bf16)
