// A row operator as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include <array>
#include <fade/core/shape.hpp>
#include <string_view>

namespace fade::bench {

enum class row_operator {
    rms_norm,
    layer_norm,
    softmax,
    log_softmax,
    cross_entropy,
    sum,
    mean,
    max,
    argmax,
    top_k
};

/// The tensors that row operators know. What a tensor is called in the program is its name in
/// row_tensor_names.
enum class row_slot {
    x,
    residual,
    weight,
    bias,
    labels,
    dy,
    dsum,
    mean,
    inverse_root,
    log_sum,
    dloss,
    y,
    sum,
    places,
    loss,
    dx,
    dweight,
    dbias
};
inline constexpr std::string_view row_tensor_names[] = {
    "x",       "residual", "weight", "bias", "labels", "dy",   "dsum", "mean",    "inverse_root",
    "log_sum", "dloss",    "y",      "sum",  "places", "loss", "dx",   "dweight", "dbias"};

/// A problem with the memory of its tensors; null: not there.
struct rows_call {
    row_operator op{};
    bool backward = false, of_columns = false, strict = false;
    index rows = 0, columns = 0;
    int k = 1;
    std::array<void*, std::size(row_tensor_names)> memory{};
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;

    /// The tensor in a slot, as elements of T.
    template <class T>
    T* at(row_slot slot) const {
        return static_cast<T*>(memory[std::size_t(slot)]);
    }
};

using rows_runner = runner<rows_call>;

}  // namespace fade::bench
