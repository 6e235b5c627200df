// The problems and operands of row operators, as users name them.
#pragma once
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// Sizes of rms_norm() and layer_norm(): every row is normalised on its own.
struct norm_problem {
    index rows = 0;              ///< of every tensor
    index columns = 0;           ///< elements of a row
    double epsilon = 1e-5;       ///< added to the variance or the mean square; at least 0
    double weight_offset = 0;    ///< rms_norm: added to every weight; 1 for models that store weight - 1
    index x_stride = -1;         ///< elements from row to row; -1: packed
    index residual_stride = -1;  ///< likewise, as the following ones
    index sum_stride = -1;       ///< of sum
    index y_stride = -1;         ///< of y
};

/// Memory of a norm, [rows, columns] unless said otherwise, that the device can read and write.
template <class In, class Out = In, class Weight = In>
struct norm_operands {
    const In* x = nullptr;           ///< what is normalised
    const In* residual = nullptr;    ///< added to x before the norm
    In* sum = nullptr;               ///< x + residual; may be either of both
    const Weight* weight = nullptr;  ///< of each column; null: 1
    const Weight* bias = nullptr;    ///< layer_norm: of each column; null: 0
    Out* y = nullptr;                ///< may be x
    float* scales = nullptr;         ///< of each row, where y has an 8-bit type: the norm is y * scale
    float* mean = nullptr;           ///< layer_norm: of each row, for the gradient
    float* inverse_root =
        nullptr;  ///< 1 / sqrt(variance or mean square + epsilon) of each row, for the gradient
};

/// Sizes of rms_norm_gradient() and layer_norm_gradient().
struct norm_gradient_problem {
    index rows = 0;            ///< of every tensor
    index columns = 0;         ///< elements of a row
    double weight_offset = 0;  ///< that of the forward call
    index h_stride = -1;       ///< elements from row to row; -1: packed
    index dy_stride = -1;      ///< likewise, as the following ones
    index dsum_stride = -1;    ///< of dsum
    index dx_stride = -1;      ///< of dx
};

/// Memory of a norm's gradient, [rows, columns] unless said otherwise, that the device can read and write.
template <class In, class Gradient = In, class Weight = In>
struct norm_gradient_operands {
    const In* h = nullptr;                ///< what was normalised: x, or the sum of x and its residual
    const Gradient* dy = nullptr;         ///< gradient of y
    const Gradient* dsum = nullptr;       ///< what reaches h past the norm
    const Weight* weight = nullptr;       ///< of each column; null: 1
    const float* mean = nullptr;          ///< [rows]: layer_norm, from the forward call
    const float* inverse_root = nullptr;  ///< [rows]: from the forward call
    Gradient* dx = nullptr;               ///< of h; null: not wanted
    Weight* dweight = nullptr;            ///< null: not wanted
    Weight* dbias = nullptr;              ///< layer_norm; null: not wanted
};

/// Sizes of softmax() and log_softmax().
struct softmax_problem {
    index rows = 0;       ///< of every tensor
    index columns = 0;    ///< elements of a row
    index x_stride = -1;  ///< elements from row to row; -1: packed
    index y_stride = -1;  ///< likewise
};

/// Sizes of softmax_gradient() and log_softmax_gradient().
struct softmax_gradient_problem {
    index rows = 0;        ///< of every tensor
    index columns = 0;     ///< elements of a row
    index y_stride = -1;   ///< elements from row to row; -1: packed
    index dy_stride = -1;  ///< likewise
    index dx_stride = -1;  ///< likewise
};

/// Sizes of cross_entropy() and its gradient: rows are samples, columns are classes.
struct cross_entropy_problem {
    index rows = 0;            ///< of every tensor
    index columns = 0;         ///< elements of a row
    double smoothing = 0;      ///< this share of the target is spread over all columns
    int ignored_label = -100;  ///< rows of this label have no loss and no gradient
    index x_stride = -1;       ///< elements from row to row; -1: packed
    index dx_stride = -1;      ///< likewise
};

/// Memory of cross_entropy() that the device can read and write.
template <class In>
struct cross_entropy_operands {
    const In* x = nullptr;        ///< logits, [rows, columns]
    const int* labels = nullptr;  ///< [rows]: the class of each row
    float* loss = nullptr;        ///< of each row
    float* log_sum = nullptr;     ///< log sum exp(x) of each row, for the gradient; null: not wanted
};

/// Memory of cross_entropy_gradient() that the device can read and write.
template <class In, class Gradient = In>
struct cross_entropy_gradient_operands {
    const In* x = nullptr;           ///< logits, [rows, columns]
    const int* labels = nullptr;     ///< [rows]: the class of each row
    const float* log_sum = nullptr;  ///< from the forward call
    const float* dloss = nullptr;    ///< of each row; null: 1
    Gradient* dx = nullptr;          ///< may be x
};

/// Is there a result for each row, or for each column?
enum class along { rows, columns };

/// Sizes of sum(), mean(), max() and argmax().
struct reduce_problem {
    index rows = 0;                 ///< of every tensor
    index columns = 0;              ///< elements of a row
    along direction = along::rows;  ///< rows: a value of each row; columns: a value of each column
    index x_stride = -1;            ///< elements; -1: packed
};

/// Sizes of top_k(): the k largest of each row or column.
struct top_k_problem {
    index rows = 0;                 ///< of every tensor
    index columns = 0;              ///< elements of a row
    int k = 1;                      ///< 1 to 64
    index x_stride = -1;            ///< elements; -1: packed
    along direction = along::rows;  ///< rows: the largest of each row; columns: the largest of each column
};

}  // namespace FADE_NAMESPACE
