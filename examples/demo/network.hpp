// The network: two stages of convolution, relu and pooling, and a linear layer. Products are in T with sums
// in f32; parameters and their gradients are f32.
#pragma once
#include "loss.hpp"
#include "settings.hpp"

namespace demo {

template <class Device, class T>
class network {
    static constexpr bool is_f32 = std::is_same_v<T, float>;

public:
    network(Device& device, int batch, activations a)
        : batch_(batch), recomputes_(a == activations::recomputed),
          master_(device, std::size_t(parameter_count)), gradient_(device, std::size_t(parameter_count)),
          copy_(device, is_f32 ? 0 : std::size_t(parameter_count)), first_(device, batch, stages[0]),
          second_(device, batch, stages[1]), linear_(device, batch), loss_(device, batch),
          scratch_(device, batch, stages[0]), more_scratch_(device, recomputes_ ? 0 : batch, stages[1]) {}

    int batch() const { return batch_; }
    /// Device memory of all that the network holds.
    std::size_t bytes() const {
        return master_.bytes() + gradient_.bytes() + copy_.bytes() + first_.bytes() + second_.bytes() +
               linear_.bytes() + loss_.bytes() + scratch_.bytes() + more_scratch_.bytes();
    }

    void load(const std::vector<float>& parameters) {
        master_.put(parameters);
        if constexpr (!is_f32) copy_.put(parameters);
    }
    std::vector<float> parameters() { return master_.get(); }
    std::vector<float> gradient() { return gradient_.get(); }

    /// What an optimizer steps on.
    float* master() const { return master_.data(); }
    const float* gradients() const { return gradient_.data(); }
    /// What products read, where that is not the f32 parameters themselves.
    T* copy() const { return is_f32 ? nullptr : copy_.data(); }

    void forward(const T* images) {
        run_first(images);
        second_.forward(first_.pooled(), weights(layer_2), bias(layer_2), scratch_of_second());
        linear_.forward(second_.pooled(), weights(layer_3), bias(layer_3));
    }
    /// The class of each image that forward() has seen.
    std::vector<int> classes_said() { return loss_.classes_of(linear_.y()); }
    float loss(const std::vector<int>& labels) { return loss_.forward(linear_.y(), labels); }

    /// The gradients of loss() times `scale` by all parameters.
    void backward(const T* images, float scale) {
        loss_.backward(linear_.y(), linear_.dy(), scale);
        linear_.backward(second_.pooled(), d_weights(layer_3), d_bias(layer_3));
        linear_.backward_data(weights(layer_3), second_);
        second_.backward(first_.pooled(), scratch_of_second(), d_weights(layer_2), d_bias(layer_2));
        second_.backward_data(weights(layer_2), scratch_of_second(), first_);
        if (recomputes_) run_first(images);
        first_.backward(images, scratch_, d_weights(layer_1), d_bias(layer_1));
    }

private:
    void run_first(const T* images) { first_.forward(images, weights(layer_1), bias(layer_1), scratch_); }
    stage_scratch<Device, T>& scratch_of_second() { return recomputes_ ? scratch_ : more_scratch_; }

    const T* weights(const layer_parameters& l) const { return read() + l.weights.first; }
    const T* bias(const layer_parameters& l) const { return read() + l.bias.first; }
    float* d_weights(const layer_parameters& l) const { return gradient_.data() + l.weights.first; }
    float* d_bias(const layer_parameters& l) const { return gradient_.data() + l.bias.first; }
    const T* read() const {
        if constexpr (is_f32)
            return master_.data();
        else
            return copy_.data();
    }

    int batch_;
    bool recomputes_;
    array<Device, float> master_, gradient_;
    array<Device, T> copy_;
    conv_stage<Device, T> first_, second_;
    linear<Device, T> linear_;
    mean_cross_entropy<Device, T> loss_;
    stage_scratch<Device, T> scratch_, more_scratch_;
};

}  // namespace demo
