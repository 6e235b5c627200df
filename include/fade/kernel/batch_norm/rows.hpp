// The steps of batch normalisation over rows: pixels of channels where these come last, planes of pixels
// where they come first. Ioffe and Szegedy, "Batch Normalization" (2015).
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/kernel/rows/columns.hpp>
#include <fade/kernel/rows/norm_gradient.hpp>

namespace FADE_NAMESPACE::kernel {

/// What becomes of a channel's variance.
struct channel_statistics {
    float *mean, *inverse_root, *running_mean, *running_variance;
    float count, epsilon, momentum;

    /// `squares`: the sum of squared distances from the mean.
    FADE_FN void finish(int channel, float squares) const {
        inverse_root[channel] = 1 / __builtin_sqrtf(squares / count + epsilon);
        if (running_mean) running_mean[channel] += momentum * (mean[channel] - running_mean[channel]);
        if (running_variance)
            running_variance[channel] += momentum * (squares / (count - 1) - running_variance[channel]);
    }
};

/// Sums of squared distances from the mean of each column.
template <class In>
struct squared_distances {
    using value = float;
    using combine = plus;
    row_tensor<const In> x;
    row_tensor<const float> mean;
    channel_statistics to;

    static constexpr int element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("mean", mean);
    }
    template <class F>
    FADE_FN void with_tensors(F f) const {
        f(x, mean);
    }
    FADE_FN value identity() const { return 0; }
    FADE_FN value of(index, float element, float middle) const {
        return (element - middle) * (element - middle);
    }
    FADE_FN void finish(int column, float squares) const { to.finish(column, squares); }
};

/// dweight and dbias of each column.
template <class In>
struct batch_norm_sums {
    using value = norm_gradients;
    using combine = add_norm_gradients;
    row_tensor<const In> x, dy;
    row_tensor<const float> mean, inverse_root;
    float *dweight, *dbias;

    static constexpr int element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("dy", dy), f("mean", mean), f("inverse_root", inverse_root);
    }
    template <class F>
    FADE_FN void with_tensors(F f) const {
        f(x, dy, mean, inverse_root);
    }
    FADE_FN value identity() const { return {0, 0}; }
    FADE_FN value of(index, float element, float slope, float middle, float inverse) const {
        return {slope * (element - middle) * inverse, slope};
    }
    FADE_FN void finish(int column, const value& v) const {
        dweight[column] = v.weight, dbias[column] = v.bias;
    }
};

/// y of rows whose columns are channels. `spread` is a variance, or already 1 / sqrt(variance + epsilon).
template <class T, bool OfVariance>
struct normalize_pixels {
    row_tensor<const T> x;
    row_tensor<T> y;
    row_tensor<const float> mean, spread, weight, bias;
    float epsilon;

    static constexpr int operands = 1, element_bytes = sizeof(T);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("y", y), f("mean", mean), f("spread", spread);
        f("weight", weight, true), f("bias", bias, true);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        const auto m = row.read_late(mean), s = row.read_late(spread), w = row.read_late(weight, 1),
                   b = row.read_late(bias);
        const auto normal = [&](float z, float middle, float of_spread, float factor,
                                float added) FADE_LAMBDA {
            const float inverse = OfVariance ? 1 / __builtin_sqrtf(of_spread + epsilon) : +of_spread;
            return (z - middle) * inverse * factor + added;
        };
        row.write(y, normal, in, m, s, w, b);
    }
};

/// y of rows that are the pixels of one channel each, of `channels` an image.
template <class T, bool OfVariance>
struct normalize_planes {
    row_tensor<const T> x;
    row_tensor<T> y;
    const float *mean, *spread, *weight, *bias;
    int channels;
    float epsilon;

    static constexpr int operands = 1, element_bytes = sizeof(T);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("y", y);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        const int channel = int(row.number() % channels);
        const float inverse = OfVariance ? 1 / __builtin_sqrtf(spread[channel] + epsilon) : +spread[channel];
        const float middle = mean[channel], factor = inverse * (weight ? weight[channel] : 1.0f),
                    added = bias ? bias[channel] : 0.0f;
        row.write(y, [&](float z) FADE_LAMBDA { return (z - middle) * factor + added; }, in);
    }
};

/// dx = weight / root * (dy - mean(dy) - z mean(dy z)), z being (x - mean) / root, over all pixels.
struct batch_norm_slope {
    float share;  ///< 1 / pixels of all images
    FADE_FN float operator()(float x, float dy, float middle, float inverse, float factor, float dweight,
                             float dbias) const {
        return factor * inverse * (dy - dbias * share - (x - middle) * inverse * dweight * share);
    }
};

template <class T>
struct batch_norm_gradient_pixels {
    row_tensor<const T> x, dy;
    row_tensor<T> dx;
    row_tensor<const float> mean, inverse_root, weight, dweight, dbias;
    batch_norm_slope slope;

    static constexpr int operands = 3, element_bytes = sizeof(T);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("dy", dy), f("dx", dx), f("mean", mean), f("inverse_root", inverse_root);
        f("weight", weight, true), f("dweight", dweight), f("dbias", dbias);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x), out = row.read(dy);
        const auto m = row.read_late(mean), i = row.read_late(inverse_root), w = row.read_late(weight, 1),
                   a = row.read_late(dweight), b = row.read_late(dbias);
        row.write(dx, slope, in, out, m, i, w, a, b);
    }
};

template <class T>
struct batch_norm_gradient_planes {
    row_tensor<const T> x, dy;
    row_tensor<T> dx;
    const float *mean, *inverse_root, *weight, *dweight, *dbias;
    int channels;
    batch_norm_slope slope;

    static constexpr int operands = 2, element_bytes = sizeof(T);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("dy", dy), f("dx", dx);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x), out = row.read(dy);
        const int c = int(row.number() % channels);
        const float m = mean[c], i = inverse_root[c], w = weight ? weight[c] : 1.0f, a = dweight[c],
                    b = dbias[c];
        row.write(dx, [&](float z, float g) FADE_LAMBDA { return slope(z, g, m, i, w, a, b); }, in, out);
    }
};

}  // namespace FADE_NAMESPACE::kernel
