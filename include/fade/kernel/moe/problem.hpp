// What the steps of a mixture of experts are asked to do, around its products (grouped_gemm.hpp).
#pragma once
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// How a router's logits become the weights of experts.
enum class moe_scoring {
    softmax,  ///< exp(x) / the sum of exp over all experts (Mixtral, Qwen, GPT-OSS)
    sigmoid   ///< 1 / (1 + exp(-x)) (DeepSeek V3)
};

/// Its name.
constexpr const char* name(moe_scoring s) { return s == moe_scoring::softmax ? "softmax" : "sigmoid"; }

/// Sizes of moe_route(): each token chooses the experts of its top_k largest logits, the larger first; of
/// equal ones the first.
struct moe_route_problem {
    index tokens = 0;                            ///< rows of the logits
    index experts = 0;                           ///< columns of the logits
    int top_k = 1;                               ///< experts of a token: 1 to 64
    moe_scoring scoring = moe_scoring::softmax;  ///< what the weights are
    bool renormalize = true;                     ///< weights of a token are divided by their sum
    double weight_scale = 1;                     ///< factor of all weights, after that
    index logits_stride = -1;                    ///< elements from token to token; -1: packed
};

/// Sizes of moe_dispatch(): where the copies of tokens stand when they are sorted by expert.
struct moe_dispatch_problem {
    index tokens = 0;  ///< that were routed
    int top_k = 1;     ///< experts of a token
    int experts = 0;   ///< that there are; a choice outside them is dropped
};

/// Tables of moe_dispatch(), in the device's memory.
struct moe_dispatch_operands {
    const int* choices = nullptr;  ///< [tokens, top_k]: the experts of each token
    int* ends = nullptr;           ///< [experts]: row behind each expert's last; `ends` of grouped_gemm()
    int* row_list = nullptr;       ///< [tokens * top_k]: the token of each row; `row_list` of grouped_gemm()
    int* slots = nullptr;          ///< [tokens, top_k]: the row of each choice; -1 where it was dropped
};

/// Sizes of moe_combine(): y[t] = the sum over j of weights[t, j] * x[slots[t, j]], in the order of j.
struct moe_combine_problem {
    index tokens = 0;     ///< rows of y
    int top_k = 1;        ///< experts of a token
    index columns = 0;    ///< of x and y
    index rows = 0;       ///< of x; a slot outside them adds nothing
    index x_stride = -1;  ///< elements from row to row; -1: packed
    index y_stride = -1;  ///< likewise
};

/// Memory of moe_combine() that the device can read and write.
template <class In, class Out = In>
struct moe_combine_operands {
    const In* x = nullptr;           ///< [rows, columns]: what the experts made
    const int* slots = nullptr;      ///< [tokens, top_k], of moe_dispatch()
    const float* weights = nullptr;  ///< [tokens, top_k], of moe_route(); null: 1
    Out* y = nullptr;                ///< [tokens, columns]
};

}  // namespace FADE_NAMESPACE
