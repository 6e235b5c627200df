// A network of two layers, 64 - hidden - 10, whose every product is a GEMM of FADE on T with sums in f32.
#pragma once
#include "digits.hpp"
#include "kernel_table.hpp"
#include "loss.hpp"
#include "parameters.hpp"
#include "stages.hpp"
#include <string>

namespace demo {

/// The ten outputs, padded so that a row is whole runs of 16 bytes.
inline constexpr int outputs = 16;

template <class Device, class T>
class network {
    using enum fade::gemm_layout;

public:
    network(Device& device, const settings& s)
        : device_(device), rows_(s.batch), hidden_(s.hidden), parameters_(s), x_(device, size(rows_, pixels)),
          input_(device, size(rows_, hidden_)), active_(device, size(rows_, hidden_)),
          d_input_(device, size(rows_, hidden_)), d_output_(device, size(rows_, outputs)),
          output_(device, size(rows_, outputs)), w1_(device, parameters_.w1.value),
          b1_(device, parameters_.b1.value), w2_(device, parameters_.w2.value),
          b2_(device, parameters_.b2.value), d_w1_(device, size(pixels, hidden_)),
          d_w2_(device, size(hidden_, outputs)), loss_(device, rows_, classes, outputs) {}

    /// Takes rows_ images through both layers.
    void forward(const std::vector<float>& images) {
        x_.put(images);
        layer_1();
        layer_2();
    }
    /// rows_ x outputs numbers for those images, before the softmax.
    std::vector<float> logits() { return output_.get(); }

    /// Steps down the gradient of the mean loss of what forward() took; returns the loss.
    float learn(const std::vector<int>& labels, float rate) {
        const float loss = loss_.mean(output_, labels);
        const std::vector<float> d_output = loss_.gradient();
        d_output_.put(d_output);
        through_layer_2();
        of_weights_2();
        of_weights_1();
        parameters_.step(rate, d_w1_.get(), column_sums(d_input_.get(), hidden_), d_w2_.get(),
                         column_sums(d_output, outputs));
        w1_.put(parameters_.w1.value), b1_.put(parameters_.b1.value);
        w2_.put(parameters_.w2.value), b2_.put(parameters_.b2.value);
        return loss;
    }

    /// Times the five products of a step.
    void measure(kernel_table& table, const std::string& type) {
        table.measure(device_, type + " layer 1", size_1, [&] { return layer_1(); });
        table.measure(device_, type + " layer 2", size_2, [&] { return layer_2(); });
        table.measure(device_, type + " input gradient", size_back, [&] { return through_layer_2(); });
        table.measure(device_, type + " weights 2", size_w2, [&] { return of_weights_2(); });
        table.measure(device_, type + " weights 1", size_w1, [&] { return of_weights_1(); });
    }

private:
    /// active = gelu(x W1 + b1); what gelu saw is kept for its gradient.
    fade::report layer_1() {
        return multiply<nn>(device_, size_1, x_.data(), w1_.data(), active_.data(),
                            fade::bias(b1_.data()) | fade::aux(input_.data(), hidden_) | fade::gelu());
    }
    /// output = active W2 + b2
    fade::report layer_2() {
        return multiply<nn>(device_, size_2, active_.data(), w2_.data(), output_.data(),
                            fade::bias(b2_.data()));
    }
    /// d_input = (d_output W2^T) * gelu'(input)
    fade::report through_layer_2() {
        return multiply<nt>(device_, size_back, d_output_.data(), w2_.data(), d_input_.data(),
                            fade::dgelu(input_.data(), hidden_));
    }
    /// d_W2 = active^T d_output
    fade::report of_weights_2() {
        return multiply<tn>(device_, size_w2, active_.data(), d_output_.data(), d_w2_.data());
    }
    /// d_W1 = x^T d_input
    fade::report of_weights_1() {
        return multiply<tn>(device_, size_w1, x_.data(), d_input_.data(), d_w1_.data());
    }

    static std::size_t size(int rows, int columns) { return std::size_t(rows) * std::size_t(columns); }
    static std::vector<float> column_sums(const std::vector<float>& m, int columns) {
        std::vector<float> out(std::size_t(columns), 0.0f);
        for (std::size_t i = 0; i < m.size(); ++i) out[i % std::size_t(columns)] += m[i];
        return out;
    }

    Device& device_;
    int rows_, hidden_;
    sizes size_1{rows_, hidden_, pixels}, size_2{rows_, outputs, hidden_}, size_back{rows_, hidden_, outputs};
    sizes size_w2{hidden_, outputs, rows_}, size_w1{pixels, hidden_, rows_};
    parameters parameters_;
    array<Device, T> x_, input_, active_, d_input_, d_output_;
    array<Device, float> output_;
    array<Device, T> w1_;
    array<Device, float> b1_;  // a bias has the type of D
    array<Device, T> w2_;
    array<Device, float> b2_;
    array<Device, float> d_w1_, d_w2_;
    softmax_loss<Device> loss_;
};

}  // namespace demo
