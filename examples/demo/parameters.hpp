// The parameters of the network: one list, so that an optimizer's step is one launch.
#pragma once
#include "digits.hpp"
#include "random.hpp"
#include <cmath>
#include <fade/core/dtype.hpp>
#include <vector>

namespace demo {

/// Two stages of a convolution 3 x 3, relu and pooling 2 x 2; both halve the side of the image.
struct stage {
    int side, channels, filters;
    constexpr int inputs() const { return 9 * channels; }        ///< of one pixel of the convolution
    constexpr int pixels() const { return side * side; }         ///< of its result
    constexpr int values() const { return pixels() * filters; }  ///< likewise, with all channels
    constexpr int pooled() const { return values() / 4; }        ///< what pooling leaves
};
inline constexpr stage stages[] = {{32, 1, 32}, {16, 32, 64}};

/// What the linear layer sees, and the ten outputs, padded so that a row is whole runs of 16 bytes.
inline constexpr int features = stages[1].pooled(), outputs = 16;

/// A tensor within the list, and how many numbers each of its outputs sums.
struct parameter {
    fade::index first, count;
    int inputs;
    constexpr fade::index end() const { return first + count; }
};

/// Filters are [filters, 3, 3, channels], the linear layer's weights [outputs, features].
struct layer_parameters {
    parameter weights, bias;
    constexpr layer_parameters(fade::index first, int filters, int inputs)
        : weights{first, fade::index(filters) * inputs, inputs}, bias{weights.end(), filters, 0} {}
};
inline constexpr layer_parameters layer_1(0, stages[0].filters, stages[0].inputs()),
    layer_2(layer_1.bias.end(), stages[1].filters, stages[1].inputs()),
    layer_3(layer_2.bias.end(), outputs, features);
inline constexpr layer_parameters layers[] = {layer_1, layer_2, layer_3};
inline constexpr fade::index parameter_count = layer_3.bias.end();

/// Uniform numbers of variance 2 / inputs (He et al., 2015); biases and what pads the outputs are 0.
inline std::vector<float> initial_parameters(std::uint64_t seed) {
    random_source random(seed);
    std::vector<float> out(std::size_t(parameter_count), 0.0f);
    for (const layer_parameters& layer : layers) {
        const parameter& w = layer.weights;
        const fade::index count = w.inputs == features ? fade::index(classes) * features : w.count;
        const float width = std::sqrt(6.0f / float(w.inputs));
        for (fade::index i = 0; i < count; ++i)
            out[std::size_t(w.first + i)] = (2 * random.uniform() - 1) * width;
    }
    return out;
}

}  // namespace demo
