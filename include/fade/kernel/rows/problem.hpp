// The problems and operands of row operators, as users name them.
#pragma once
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

struct norm_problem {
    index rows = 0, columns = 0;
    double epsilon = 1e-5;
    double weight_offset = 0;  ///< rms_norm: added to every weight; 1 for models that store weight - 1
    index x_stride = -1, residual_stride = -1, sum_stride = -1, y_stride = -1;  ///< elements; -1: packed
};

template <class In, class Out = In, class Weight = In>
struct norm_operands {
    const In* x = nullptr;
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

struct norm_gradient_problem {
    index rows = 0, columns = 0;
    double weight_offset = 0;
    index h_stride = -1, dy_stride = -1, dsum_stride = -1, dx_stride = -1;  ///< elements; -1: packed
};

template <class In, class Gradient = In, class Weight = In>
struct norm_gradient_operands {
    const In* h = nullptr;  ///< what was normalised: x, or the sum of x and its residual
    const Gradient* dy = nullptr;
    const Gradient* dsum = nullptr;  ///< what reaches h past the norm
    const Weight* weight = nullptr;
    const float* mean = nullptr;  ///< layer_norm, from the forward call
    const float* inverse_root = nullptr;
    Gradient* dx = nullptr;     ///< of h; null: not wanted
    Weight* dweight = nullptr;  ///< null: not wanted
    Weight* dbias = nullptr;    ///< layer_norm; null: not wanted
};

struct softmax_problem {
    index rows = 0, columns = 0;
    index x_stride = -1, y_stride = -1;  ///< elements; -1: packed
};

struct softmax_gradient_problem {
    index rows = 0, columns = 0;
    index y_stride = -1, dy_stride = -1, dx_stride = -1;  ///< elements; -1: packed
};

struct cross_entropy_problem {
    index rows = 0, columns = 0;
    double smoothing = 0;                 ///< this share of the target is spread over all columns
    int ignored_label = -100;             ///< rows of this label have no loss and no gradient
    index x_stride = -1, dx_stride = -1;  ///< elements; -1: packed
};

template <class In>
struct cross_entropy_operands {
    const In* x = nullptr;  ///< logits
    const int* labels = nullptr;
    float* loss = nullptr;     ///< of each row
    float* log_sum = nullptr;  ///< log sum exp(x) of each row, for the gradient; null: not wanted
};

template <class In, class Gradient = In>
struct cross_entropy_gradient_operands {
    const In* x = nullptr;
    const int* labels = nullptr;
    const float* log_sum = nullptr;  ///< from the forward call
    const float* dloss = nullptr;    ///< of each row; null: 1
    Gradient* dx = nullptr;          ///< may be x
};

enum class along { rows, columns };

struct reduce_problem {
    index rows = 0, columns = 0;
    along direction = along::rows;  ///< rows: a value of each row; columns: a value of each column
    index x_stride = -1;            ///< elements; -1: packed
};

struct top_k_problem {
    index rows = 0, columns = 0;
    int k = 1;            ///< 1 to 64
    index x_stride = -1;  ///< elements; -1: packed
};

}  // namespace FADE_NAMESPACE
