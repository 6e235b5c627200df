// The trained network with all products in i8. Filters are quantised once, each by its largest magnitude;
// what a product sees is quantised while the network runs, each image by its own (dynamic quantisation).
#pragma once
#include "network.hpp"
#include <fade/rows.hpp>

namespace demo {

/// Of each row: its elements in units of a factor, and the factor.
struct quantise_rows {
    fade::row_tensor<const float> x;
    fade::row_tensor<fade::i8> y;
    float* factors;

    static constexpr int operands = 1, element_bytes = sizeof(float);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("y", y);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto elements = row.read(x);
        const float largest = row.max([](float e) FADE_LAMBDA { return __builtin_fabsf(e); }, elements);
        const float factor = largest > 0 ? largest / 127 : 1.0f, inverse = 1 / factor;
        row.put(factors, factor);
        row.write(y, [&](float e) FADE_LAMBDA { return e * inverse; }, elements);
    }
};

/// A list of images, or of filters, in i8.
template <class Device>
class quantised {
public:
    quantised(Device& device, int count, int length)
        : device_(device), count_(count), length_(length),
          values_(device, std::size_t(count) * std::size_t(length)), factors_(device, std::size_t(count)) {}

    void take(const float* x) {
        fade::run_rows(device_, "quantise", {count_, length_},
                       quantise_rows{{x, length_}, {values_.data(), length_}, factors_.data()});
    }
    const fade::i8* values() const { return values_.data(); }
    const float* factors() const { return factors_.data(); }

private:
    Device& device_;
    int count_, length_;
    array<Device, fade::i8> values_;
    array<Device, float> factors_;
};

/// A sum of products in i8 as a real: by the factors of its image and of its filter.
struct dequantise : fade::epilogue::stage {
    static constexpr const char* name = "dequantise";
    static constexpr bool floating = true;
    const float *images, *filters;
    int rows;  ///< of an image
    dequantise(const float* i, const float* f, int r) : images(i), filters(f), rows(r) {}

    template <class Value>
    FADE_FN Value operator()(Value sum, const fade::epilogue::position& at) const {
        return sum * at.load<Value>(images, at.row / rows) * at.load<Value>(filters, at.column);
    }
};

template <class Device>
class quantised_network {
public:
    quantised_network(Device& device, int batch, const std::vector<float>& parameters)
        : device_(device), batch_(batch), parameters_(device, parameters),
          x_1_(device, batch, stages[0].pixels()), x_2_(device, batch, stages[0].pooled()),
          x_3_(device, batch, features), w_1_(device, stages[0].filters, stages[0].inputs()),
          w_2_(device, stages[1].filters, stages[1].inputs()), w_3_(device, outputs, features),
          convolved_(device, std::size_t(batch) * std::size_t(stages[0].values())),
          pooled_(device, std::size_t(batch) * std::size_t(stages[0].pooled())),
          logits_(device, std::size_t(batch) * outputs), said_(device, std::size_t(batch)) {
        w_1_.take(at(layer_1.weights)), w_2_.take(at(layer_2.weights)), w_3_.take(at(layer_3.weights));
    }

    void forward(const float* images) {
        x_1_.take(images);
        run_stage(stages[0], x_1_, w_1_, at(layer_1.bias));
        x_2_.take(pooled_.data());
        run_stage(stages[1], x_2_, w_2_, at(layer_2.bias));
        x_3_.take(pooled_.data());
        fade::gemm<fade::i8, float, kernels_of(fade::gemm_layout::nt)>(
            device_, {.m = batch_, .n = outputs, .k = features, .layout = fade::gemm_layout::nt},
            {.a = x_3_.values(), .b = w_3_.values(), .d = logits_.data()},
            dequantise(x_3_.factors(), w_3_.factors(), 1) | fade::bias(at(layer_3.bias)));
    }

    /// The class of each image that forward() has seen.
    std::vector<int> classes_said() {
        fade::argmax<float>(device_, {.rows = batch_, .columns = classes, .x_stride = outputs},
                            logits_.data(), said_.data());
        const std::vector<float> said = said_.get();
        return {said.begin(), said.end()};
    }

private:
    const float* at(const parameter& p) const { return parameters_.data() + p.first; }

    void run_stage(const stage& s, const quantised<Device>& x, const quantised<Device>& w,
                   const float* bias) {
        fade::conv_forward<fade::i8, float>(
            device_, convolution_of(s, batch_), {.x = x.values(), .w = w.values(), .y = convolved_.data()},
            dequantise(x.factors(), w.factors(), s.pixels()) | fade::bias(bias) | fade::relu());
        fade::max_pool<float>(device_, pooling_of(s, batch_), {.x = convolved_.data(), .y = pooled_.data()});
    }

    Device& device_;
    int batch_;
    array<Device, float> parameters_;
    quantised<Device> x_1_, x_2_, x_3_, w_1_, w_2_, w_3_;
    array<Device, float> convolved_, pooled_, logits_;
    array<Device, int> said_;
};

}  // namespace demo
