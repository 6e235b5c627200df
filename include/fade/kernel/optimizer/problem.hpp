// What an optimizer's step is asked to do.
#pragma once
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// Stochastic gradient descent as frameworks define it: g = gradient / loss_scale + weight_decay * w,
/// v = momentum * v + g, w -= rate * v, or with nesterov w -= rate * (g + momentum * v).
struct sgd_problem {
    index count = 0;          ///< parameters
    double rate = 0;          ///< the learning rate
    double momentum = 0;      ///< what stays of the velocity; 0: there is none
    double weight_decay = 0;  ///< times the parameter, added to its gradient
    bool nesterov = false;    ///< look ahead by one step of the velocity
    double loss_scale = 1;    ///< what the loss was multiplied by, and so the gradient
};

/// Memory of sgd_step(), [count], that the device can read and write.
template <class Gradient, class Copy = Gradient>
struct sgd_operands {
    const Gradient* gradient = nullptr;  ///< of the scaled loss
    float* master = nullptr;             ///< the parameters in f32, updated in place
    float* velocity = nullptr;           ///< updated in place, zeros at first; null without momentum
    Copy* copy = nullptr;                ///< receives the parameters as the next pass reads them; or null
    const float* nonfinite = nullptr;    ///< one number, that of find_nonfinite(): unless it is 0, the step
                                         ///< is skipped; null: no step is
};

/// AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019): g = gradient / loss_scale,
/// m = beta1 * m + (1 - beta1) * g, v = beta2 * v + (1 - beta2) * g^2, and with both divided by
/// 1 - beta^step, w -= rate * (m / (sqrt(v) + epsilon) + weight_decay * w).
struct adamw_problem {
    index count = 0;             ///< parameters
    double rate = 1e-3;          ///< the learning rate
    double beta1 = 0.9;          ///< what stays of the first moment
    double beta2 = 0.999;        ///< what stays of the second moment
    double epsilon = 1e-8;       ///< added to the root of the second moment
    double weight_decay = 1e-2;  ///< times the rate and the parameter
    index step = 1;              ///< of the steps that were taken, this one counted and skipped ones not
    double loss_scale = 1;       ///< what the loss was multiplied by, and so the gradient
};

/// Memory of adamw_step(), [count], that the device can read and write.
template <class Gradient, class Copy = Gradient>
struct adamw_operands {
    const Gradient* gradient = nullptr;  ///< of the scaled loss
    float* master = nullptr;             ///< the parameters in f32, updated in place
    float* first_moment = nullptr;       ///< updated in place, zeros at first
    float* second_moment = nullptr;      ///< updated in place, zeros at first
    Copy* copy = nullptr;                ///< receives the parameters as the next pass reads them; or null
    const float* nonfinite = nullptr;    ///< as in sgd_operands
};

}  // namespace FADE_NAMESPACE
