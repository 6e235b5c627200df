// The linear layer and its gradients: three GEMMs.
#pragma once
#include "conv_stage.hpp"
#include <fade/gemm.hpp>

namespace demo {

/// Every matrix of the demo has rows of whole 16-byte runs, so one kernel a layout is enough.
constexpr fade::gemm_kernels kernels_of(fade::gemm_layout layout) {
    return fade::only(fade::operand_access(int(layout)));
}

template <class Device, class T>
class linear {
    using enum fade::gemm_layout;

public:
    linear(Device& device, int batch)
        : device_(device), batch_(batch), y_(device, std::size_t(batch) * outputs),
          dy_(device, std::vector<float>(std::size_t(batch) * outputs)) {}

    const T* y() const { return y_.data(); }
    T* dy() const { return dy_.data(); }
    std::size_t bytes() const { return y_.bytes() + dy_.bytes(); }

    /// y = x weights^T + bias
    void forward(const T* x, const T* weights, const T* bias) {
        fade::gemm<T, T, kernels_of(nt)>(device_, {.m = batch_, .n = outputs, .k = features, .layout = nt},
                                         {.a = x, .b = weights, .d = y_.data()}, fade::bias(bias));
    }

    /// The gradients of weights and bias, from dy.
    void backward(const T* x, float* d_weights, float* d_bias) {
        fade::gemm<T, float, kernels_of(tn)>(device_,
                                             {.m = outputs, .n = features, .k = batch_, .layout = tn},
                                             {.a = dy_.data(), .b = x, .d = d_weights});
        fade::sum<T>(device_, {.rows = batch_, .columns = outputs, .direction = fade::along::columns},
                     dy_.data(), d_bias);
    }

    /// The gradient of what the stage `before` has pooled, through that stage's relu.
    void backward_data(const T* weights, const conv_stage<Device, T>& before) {
        fade::gemm<T, T, kernels_of(nn)>(device_, {.m = batch_, .n = features, .k = outputs, .layout = nn},
                                         {.a = dy_.data(), .b = weights, .d = before.d_pooled()},
                                         fade::drelu(before.pooled()));
    }

private:
    Device& device_;
    int batch_;
    array<Device, T> y_, dy_;
};

}  // namespace demo
