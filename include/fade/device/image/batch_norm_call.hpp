// Calls of batch normalisation: operations over columns and rows, one after the other.
#pragma once
#include <fade/device/column_call.hpp>
#include <fade/device/image/common.hpp>
#include <fade/device/row_call.hpp>
#include <fade/kernel/batch_norm/check.hpp>
#include <fade/tune/image/batch_norm.hpp>

namespace FADE_NAMESPACE {

/// One launch of a workgroup a channel.
template <class Entry>
class plane_operation {
public:
    template <class Device>
    plane_operation(const Device& device, const char* name, const batch_norm_problem& p,
                    const typename Entry::arguments& args)
        : args_(args), channels_(p.channels),
          said_(report_of_images(device, name + image_words(p.batch, p.channels, p.size), p.layout, false)) {
        said_.chosen = "planes", said_.why = "channels come first, so a workgroup reads all planes of one";
    }
    const report& said() const { return said_; }
    template <class F>
    void each_launch(F f) const {
        if (channels_ > 0) f(Entry{}, grid_shape{channels_, 1, 1}, args_);
    }

private:
    typename Entry::arguments args_;
    int channels_;
    report said_;
};

/// Runs operations that were all checked before, in order; their reports become one.
template <class Device, class First, class... More>
report run_in_order(Device& device, const operation_options& options, First& first, More&... more) {
    check_strict(first.said(), options.strict);
    (check_strict(more.said(), options.strict), ...);
    report out = run_operation(device, first, options);
    [[maybe_unused]] const auto add = [&](auto& next) {
        const report said = run_operation(device, next, options);
        out.chosen += ", " + said.chosen, out.fallback = out.fallback || said.fallback;
    };
    (add(more), ...);
    return out;
}

/// Pixels of channels, or planes of pixels.
inline kernel::row_size rows_of(const batch_norm_problem& p) {
    if (p.layout == conv_layout::channels_last) return {p.batch * p.size.volume(), p.channels};
    return {p.batch * p.channels, p.size.volume()};
}
inline block::channel_planes planes_of(const batch_norm_problem& p) {
    return {p.batch, p.channels, p.size.volume()};
}

/// The last step of both forward calls, of pixels or of planes, which f gets. OfVariance: `spread` is one,
/// else 1 / sqrt of it.
template <bool OfVariance, class T, class Device, class F>
report with_normalization(const Device& device, const batch_norm_problem& p, const row_tensor<const T>& x,
                          const row_tensor<T>& y, const float* mean, const float* spread, const float* weight,
                          const float* bias, F f) {
    const float epsilon = float(p.epsilon);
    if (p.layout == conv_layout::channels_last) {
        using rows = kernel::normalize_pixels<T, OfVariance>;
        row_operation<rows, Device> last(device, "batch_norm", rows_of(p),
                                         rows{x, y, {mean, 0}, {spread, 0}, {weight, 0}, {bias, 0}, epsilon});
        return f(last);
    }
    using rows = kernel::normalize_planes<T, OfVariance>;
    row_operation<rows, Device> last(device, "batch_norm", rows_of(p),
                                     rows{x, y, mean, spread, weight, bias, p.channels, epsilon});
    return f(last);
}

template <class T, class Device>
report run_batch_norm(Device& device, const batch_norm_problem& p, const batch_norm_operands<T>& o,
                      const operation_options& options) {
    const float count = float(p.batch * p.size.volume());
    const kernel::channel_statistics to{.mean = o.mean,
                                        .inverse_root = o.inverse_root,
                                        .running_mean = o.running_mean,
                                        .running_variance = o.running_variance,
                                        .count = count,
                                        .epsilon = float(p.epsilon),
                                        .momentum = float(p.momentum)};
    const auto before = [&](auto&... steps) {
        return with_normalization<false, T>(
            device, p, {o.x}, {o.y}, o.mean, o.inverse_root, o.weight, o.bias,
            [&](auto& last) { return run_in_order(device, options, steps..., last); });
    };
    if (p.batch == 0 || p.channels == 0) return before();
    if (p.layout == conv_layout::channels_first) {
        plane_operation<tune::plane_statistics_entry<T>> statistics(device, "statistics of ", p,
                                                                    {o.x, planes_of(p), to});
        return before(statistics);
    }
    using means = kernel::reduce_columns<T, float, kernel::reduction::mean>;
    using squares = kernel::squared_distances<T>;
    column_operation<means, Device> mean(device, "mean", rows_of(p),
                                         means{{o.x}, o.mean, nullptr, 1 / count});
    column_operation<squares, Device> variance(device, "variance", rows_of(p),
                                               squares{{o.x}, {o.mean, 0}, to});
    return before(mean, variance);
}

template <class T, class Device>
report run_batch_norm_gradient(Device& device, const batch_norm_problem& p,
                               const batch_norm_gradient_operands<T>& o, const operation_options& options) {
    const kernel::batch_norm_slope slope{1 / float(max_of<index>(p.batch * p.size.volume(), 1))};
    const kernel::row_size size = rows_of(p);
    if (p.layout == conv_layout::channels_first) {
        using rows = kernel::batch_norm_gradient_planes<T>;
        plane_operation<tune::plane_sums_entry<T>> sums(
            device, "sums of ", p, {o.x, o.dy, planes_of(p), o.mean, o.inverse_root, o.dweight, o.dbias});
        row_operation<rows, Device> last(device, "batch_norm gradient", size,
                                         rows{{o.x},
                                              {o.dy},
                                              {o.dx},
                                              o.mean,
                                              o.inverse_root,
                                              o.weight,
                                              o.dweight,
                                              o.dbias,
                                              p.channels,
                                              slope});
        return run_in_order(device, options, sums, last);
    }
    using weights = kernel::batch_norm_sums<T>;
    using rows = kernel::batch_norm_gradient_pixels<T>;
    column_operation<weights, Device> sums(
        device, "batch_norm gradient of weights", size,
        weights{{o.x}, {o.dy}, {o.mean, 0}, {o.inverse_root, 0}, o.dweight, o.dbias});
    row_operation<rows, Device> last(device, "batch_norm gradient", size,
                                     rows{{o.x},
                                          {o.dy},
                                          {o.dx},
                                          {o.mean, 0},
                                          {o.inverse_root, 0},
                                          {o.weight, 0},
                                          {o.dweight, 0},
                                          {o.dbias, 0},
                                          slope});
    return run_in_order(device, options, sums, last);
}

}  // namespace FADE_NAMESPACE
