// One stage of the network: convolution 3 x 3 with bias and relu, pooling 2 x 2; and its gradients.
#pragma once
#include "memory.hpp"
#include "parameters.hpp"
#include <fade/conv.hpp>
#include <fade/pool.hpp>
#include <fade/reduce.hpp>

namespace demo {

inline fade::conv_problem convolution_of(const stage& s, int batch) {
    return {.batch = batch,
            .channels = s.channels,
            .filters = s.filters,
            .input = {.h = s.side, .w = s.side},
            .filter = {.h = 3, .w = 3},
            .pad = {.h = 1, .w = 1}};
}
inline fade::pool_problem pooling_of(const stage& s, int batch) {
    return {.batch = batch,
            .channels = s.filters,
            .input = {.h = s.side, .w = s.side},
            .window = {.h = 2, .w = 2}};
}

/// What may be computed again: the convolution's result, later its gradient, and which pixels pooling took.
template <class Device, class T>
struct stage_scratch {
    array<Device, T> convolved;
    array<Device, int> winners;

    stage_scratch(Device& device, int batch, const stage& s)
        : convolved(device, std::size_t(batch) * std::size_t(s.values())),
          winners(device, std::size_t(batch) * std::size_t(s.pooled())) {}
    std::size_t bytes() const { return convolved.bytes() + winners.bytes(); }
};

template <class Device, class T>
class conv_stage {
    using scratch = stage_scratch<Device, T>;

public:
    conv_stage(Device& device, int batch, const stage& s)
        : device_(device), batch_(batch), stage_(s),
          pooled_(device, std::size_t(batch) * std::size_t(s.pooled())),
          d_pooled_(device, std::size_t(batch) * std::size_t(s.pooled())) {}

    const T* pooled() const { return pooled_.data(); }
    T* d_pooled() const { return d_pooled_.data(); }
    std::size_t bytes() const { return pooled_.bytes() + d_pooled_.bytes(); }

    /// pooled = pool(relu(conv(x, weights) + bias))
    void forward(const T* x, const T* weights, const T* bias, scratch& s) {
        fade::conv_forward<T>(device_, convolution_of(stage_, batch_),
                              {.x = x, .w = weights, .y = s.convolved.data()},
                              fade::bias(bias) | fade::relu());
        fade::max_pool<T>(device_, pooling_of(stage_, batch_),
                          {.x = s.convolved.data(), .y = pooled_.data(), .indices = s.winners.data()});
    }

    /// The gradients of weights and bias, from d_pooled. That has passed relu's gradient already: a window's
    /// largest pixel is positive where the window's result is.
    void backward(const T* x, scratch& s, float* d_weights, float* d_bias) {
        fade::max_pool_gradient<T>(
            device_, pooling_of(stage_, batch_),
            {.dy = d_pooled_.data(), .indices = s.winners.data(), .dx = s.convolved.data()});
        fade::conv_backward_weights<T, float>(device_, convolution_of(stage_, batch_),
                                              {.x = x, .dy = s.convolved.data(), .dw = d_weights});
        fade::sum<T>(device_,
                     {.rows = fade::index(batch_) * stage_.pixels(),
                      .columns = stage_.filters,
                      .direction = fade::along::columns},
                     s.convolved.data(), d_bias);
    }

    /// After backward(): the gradient of what the stage `before` has pooled, through that stage's relu.
    void backward_data(const T* weights, const scratch& s, const conv_stage& before) {
        fade::conv_backward_data<T>(device_, convolution_of(stage_, batch_),
                                    {.dy = s.convolved.data(), .w = weights, .dx = before.d_pooled()},
                                    fade::drelu(before.pooled()));
    }

private:
    Device& device_;
    int batch_;
    stage stage_;
    array<Device, T> pooled_, d_pooled_;
};

}  // namespace demo
