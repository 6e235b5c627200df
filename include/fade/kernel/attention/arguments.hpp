// What a launch of the attention kernel is given.
#pragma once
#include <fade/core/dtype.hpp>

namespace fade::kernel {

/// A window without an end on that side.
inline constexpr int all_keys = 0x7fffffff;

/// Elements from one position, head or batch to the next.
struct sequence_strides {
    index batch;
    int position, head;   // 64 bits for these would cost scalar registers that the loop needs
};

template <class In, class Out>
struct attention_arguments {
    const In *q, *k, *v;
    Out* o;
    float* lse;
    sequence_strides q_strides, k_strides, v_strides, o_strides;
    int seq_q, seq_k, heads, group, head_dim;   ///< group: query heads that share a key head
    int last;                                   ///< query i stands at key i + last
    int left, right;                            ///< keys seen before and after that one; the largest int: all
    float scale_log2;                           ///< scale * log2(e): exponentials are powers of two
};

}  // namespace fade::kernel
