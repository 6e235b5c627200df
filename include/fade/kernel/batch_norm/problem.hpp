// What batch normalisation is asked to do.
#pragma once
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE {

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, mean and variance being those of a channel over
/// all pixels of all images. Images are packed, as the layout says; a tensor of rows is one of 1 x 1 pixels.
struct batch_norm_problem {
    index batch = 1;                                  ///< images
    int channels = 0;                                 ///< of each
    spatial size{};                                   ///< of each
    conv_layout layout = conv_layout::channels_last;  ///< of x and y
    double epsilon = 1e-5;                            ///< added to the variance; at least 0
    double momentum = 0.1;  ///< share of this batch in running values: r = (1 - momentum) r + momentum v
};

/// Memory of batch_norm (training) that the device can read and write. All vectors are f32, one value a
/// channel.
template <class T>
struct batch_norm_operands {
    const T* x = nullptr;           ///< images
    T* y = nullptr;                 ///< may be x
    const float* weight = nullptr;  ///< null: 1
    const float* bias = nullptr;    ///< null: 0
    float* mean = nullptr;          ///< of this batch, for the gradient
    float* inverse_root = nullptr;  ///< 1 / sqrt(variance + epsilon), for the gradient
    float* running_mean = nullptr;  ///< null: none is kept
    float* running_variance =
        nullptr;  ///< of an infinite number of pixels (divided by one fewer); null: none
};

/// Memory of batch_norm_inference.
template <class T>
struct batch_norm_inference_operands {
    const T* x = nullptr;             ///< images
    T* y = nullptr;                   ///< may be x
    const float* weight = nullptr;    ///< null: 1
    const float* bias = nullptr;      ///< null: 0
    const float* mean = nullptr;      ///< what training has kept
    const float* variance = nullptr;  ///< likewise
};

/// Memory of batch_norm_gradient.
template <class T>
struct batch_norm_gradient_operands {
    const T* x = nullptr;                 ///< what was normalised
    const T* dy = nullptr;                ///< gradient of y
    const float* weight = nullptr;        ///< null: 1
    const float* mean = nullptr;          ///< from the forward call
    const float* inverse_root = nullptr;  ///< likewise
    T* dx = nullptr;                      ///< gradient of x; may be dy
    float* dweight = nullptr;             ///< gradient of weight
    float* dbias = nullptr;               ///< gradient of bias
};

/// Sizes of fold_into_filter().
struct fold_problem {
    index filters = 0;      ///< channels of the convolution's result
    index elements = 0;     ///< of one filter: taps times channels
    double epsilon = 1e-5;  ///< that of the normalisation
};

/// Memory of fold_into_filter() that the device can read and write. Vectors have a value a filter.
template <class T>
struct fold_operands {
    const T* filter = nullptr;        ///< [filters, elements]
    T* folded = nullptr;              ///< likewise; may be filter
    const float* bias = nullptr;      ///< of the convolution; null: 0
    float* folded_bias = nullptr;     ///< may be bias
    const float* weight = nullptr;    ///< of the normalisation; null: 1
    const float* shift = nullptr;     ///< its bias; null: 0
    const float* mean = nullptr;      ///< what training has kept
    const float* variance = nullptr;  ///< likewise
};

}  // namespace FADE_NAMESPACE
