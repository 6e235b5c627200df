// An attention as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include <fade/kernel/attention/problem.hpp>

namespace fade::bench {

/// A problem with the memory of its tensors; null: not there.
struct attention_call {
    attention_problem problem;
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* o = nullptr;
    void* lse = nullptr;
    const void* alibi = nullptr;
    const void* bias = nullptr;
    const void* sink = nullptr;
    const void* scales_q = nullptr;
    const void* scales_k = nullptr;
    const void* scales_v = nullptr;
    bool head_scales = false;       ///< each of those holds a factor for each head, else one for the tensor
    const void* lengths = nullptr;  ///< of q and of k
    const void* table = nullptr;
    const void* starts = nullptr;
    int split_kv = 0;  ///< 0: the library decides
    bool strict = false;
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;
};

using attention_runner = runner<attention_call>;

}  // namespace fade::bench
