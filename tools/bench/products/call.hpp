// A relative of a matrix product as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include <array>
#include <fade/core/shape.hpp>
#include <optional>
#include <string_view>

namespace fade::bench {

enum class product_kind {
    weight_gemm,
    scaled_gemm,
    grouped_gemm,
    grouped_k_gemm,
    grouped_weight_gemm,
    batched_gemm,
    gated_gemm,
    moe
};
enum class weight_kind { gptq, awq, int8_rows, mxfp4, mxfp8, nvfp4 };
enum class gate_kind { swiglu, geglu };

/// The matrices and tables that products know; their names are those of product_slot_names.
enum class product_slot {
    a,        ///< m x k, along rows k x m; of batches one after the other
    b,        ///< n x k, along rows k x n; of groups and batches one after the other
    weights,  ///< B as its format stores it
    scales,
    zeros,
    scale_a,
    scale_b,
    a_table,  ///< where the matrices of a batch lie
    b_table,
    d_table,
    ends,    ///< of groups
    logits,  ///< m x groups
    choices,
    shares,  ///< what the choices count for
    row_list,
    slots,
    inner,  ///< rows between both products of a mixture
    down,   ///< its second B
    made,   ///< rows behind it
    d
};
inline constexpr std::string_view product_slot_names[] = {
    "a",    "b",      "weights", "scales", "zeros",    "scale_a", "scale_b", "a_table", "b_table", "d_table",
    "ends", "logits", "choices", "shares", "row_list", "slots",   "inner",   "down",    "made",    "d"};

/// A problem with the memory of its matrices; null: not there.
struct product_call {
    product_kind op{};
    std::optional<weight_kind> format{};
    std::optional<gate_kind> gate{};
    bool strict = false;
    index m = 0, n = 0, k = 0;
    int groups = 0, top_k = 0, split_k = 0;
    index batch = 1;
    std::array<void*, std::size(product_slot_names)> memory{};
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;

    template <class T>
    T* at(product_slot slot) const {
        return static_cast<T*>(memory[std::size_t(slot)]);
    }
};

class product_runner : public runner<product_call> {
public:
    using runner::runner;
    virtual product_kind op() const = 0;
    /// The format of its weights, where it has some.
    virtual std::optional<weight_kind> format() const { return std::nullopt; }
    bool takes(const product_call& call) const override { return call.op == op() && call.format == format(); }
};

}  // namespace fade::bench
