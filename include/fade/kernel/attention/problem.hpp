// What an attention is asked to do.
#pragma once
#include <fade/core/dtype.hpp>

namespace fade {

/// Which keys a query sees. Bottom-right: the last query sees the last key; top-left: query i sees keys 0 to i.
enum class causal_kind { none, bottom_right, top_left };

/// O = softmax(scale * Q K^T, masked) V, for every head of every batch.
/// q and o lie as [batch, seq_q, heads, head_dim], k and v as [batch, seq_k, kv_heads, head_dim]; heads is a multiple of kv_heads.
/// A window (left, right) counts keys beside the query's own position, -1 is unlimited. scale 0 stands for 1 / sqrt(head_dim).
struct attention_problem {
    index batch = 1, heads = 1, kv_heads = 1, seq_q = 0, seq_k = 0, head_dim = 0;
    causal_kind causal = causal_kind::none;
    index window_left = -1, window_right = -1;
    double scale = 0;
};

template <class In, class Out = In>
struct attention_operands {
    const In* q = nullptr;
    const In* k = nullptr;
    const In* v = nullptr;
    Out* o = nullptr;
    float* lse = nullptr;   ///< [batch, heads, seq_q]: log of the sum of exponentials; null: not wanted
};

}  // namespace fade
