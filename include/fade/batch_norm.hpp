// Batch normalisation on every machine: training, inference, gradients, and folding it into a filter.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/image/batch_norm_call.hpp>
#include <fade/kernel/batch_norm/fold.hpp>
#include <fade/kernel/batch_norm/problem.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias with the mean and the variance of this batch,
/// which are stored, and mixed into the running values.
/// T: f32, f16, bf16; vectors and sums are f32, and sums have a fixed order. The variance is summed around
/// the mean. Work is queued on the device's stream; host and emulated devices are done on return. Throws
/// fade::error with nothing written for sizes, pointers or overlaps that cannot be.
template <class T, class Device>
report batch_norm(Device& device, const batch_norm_problem& p, const batch_norm_operands<T>& o,
                  const operation_options& options = {}) {
    kernel::check_row_types<T>();
    kernel::check_training(p, o);
    return run_batch_norm(device, p, o, options);
}

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias with a mean and a variance that are given.
/// Otherwise as batch_norm().
template <class T, class Device>
report batch_norm_inference(Device& device, const batch_norm_problem& p,
                            const batch_norm_inference_operands<T>& o,
                            const operation_options& options = {}) {
    kernel::check_row_types<T>();
    kernel::check_inference(p, o);
    return with_normalization<true, T>(device, p, {o.x}, {o.y}, o.mean, o.variance, o.weight, o.bias,
                                       [&](auto& last) { return run_operation(device, last, options); });
}

/// dx, dweight and dbias from what batch_norm() has stored. dx may be dy. Otherwise as batch_norm().
template <class T, class Device>
report batch_norm_gradient(Device& device, const batch_norm_problem& p,
                           const batch_norm_gradient_operands<T>& o, const operation_options& options = {}) {
    kernel::check_row_types<T>();
    kernel::check_gradient(p, o);
    return run_batch_norm_gradient(device, p, o, options);
}

/// A filter and a bias with which a convolution alone computes what it and batch_norm_inference() compute
/// together: w[f] * s and (bias[f] - mean[f]) * s + shift[f], s = weight[f] / sqrt(variance[f] + epsilon).
/// Filters are [filters, elements], in either layout. `folded` may be `filter`. Otherwise as batch_norm().
template <class T, class Device>
report fold_into_filter(Device& device, const fold_problem& p, const fold_operands<T>& o,
                        const operation_options& options = {}) {
    kernel::check_row_types<T>();
    kernel::check_fold(p, o);
    return run_rows(device, "fold_into_filter", {p.filters, p.elements},
                    kernel::fold_rows<T>{{o.filter}, {o.folded}, o, float(p.epsilon)}, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>
