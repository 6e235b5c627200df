// Convolution on every machine, and both of its backward passes.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/conv/bias_gradient.hpp>
#include <fade/device/conv/memory_of.hpp>
#include <fade/device/conv/select.hpp>
#include <fade/device/conv/zero_points.hpp>
#include <fade/device/devices.hpp>
#include <fade/epilogue/all.hpp>
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// May a call be compiled at all? Where not, one sentence has said why.
template <class Device, class In, class Epilogue>
constexpr bool may_convolve() {
    return epilogue::require_stage<Epilogue>() && epilogue::require_no_gate<Epilogue>() &&
           multiplies_on<Device, In>();
}

/// Calls f(operation) with what computes a pass; what f returns.
template <conv_kernels Kernels, class Device, class Operands, class Epilogue, class F>
auto with_conv(Device& device, const conv_problem& problem, const Operands& operands,
               const Epilogue& epilogue, const conv_options& options, F f) {
    const conv_problem p = kernel::checked(problem);
    const auto memory = conv_memory_of(p, operands);
    using in = typename decltype(memory)::in;
    using out = typename decltype(memory)::out;
    if constexpr (Kernels.pass == conv_pass::backward_weights) {
        using bias_gradient = conv_bias_gradient<in, out, Device>;
        bias_gradient bias(device, p, memory, operands.db);
        return with_conv_operation<Kernels, in, out, Device>(
            device, p, memory, epilogue, options, [&](auto& weights) {
                using operation = std::remove_reference_t<decltype(weights)>;
                conv_with_bias_gradient<operation, bias_gradient> both(weights, bias);
                return f(both);
            });
    } else if constexpr (Kernels.pass == conv_pass::forward && std::is_same_v<in, i8>) {
        conv_zero_points zero(p, memory, operands.x_zero, operands.w_zero);
        return with_conv_operation<Kernels, in, out, Device>(device, p, memory, zero.stage() | epilogue,
                                                             options, [&](auto& forward) {
                                                                 if (!zero.wanted()) return f(forward);
                                                                 conv_with_zero_points both(forward, zero);
                                                                 return f(both);
                                                             });
    } else {
        if constexpr (Kernels.pass == conv_pass::forward)
            check_no_zero_points(name(dtype_v<in>), operands.x_zero, operands.w_zero);
        return with_conv_operation<Kernels, in, out, Device>(device, p, memory, epilogue, options, f);
    }
}

/// Runs a pass or, where a plan is given, fills that instead. One text for both: the choice among algorithms
/// is most of what a program holds of a call.
template <conv_kernels Kernels, class Device, class Operands, class Epilogue>
report run_conv(Device& device, const conv_problem& problem, const Operands& operands,
                const Epilogue& epilogue, const conv_options& options, conv_plan* plan = nullptr) {
    return with_conv<Kernels>(device, problem, operands, epilogue, options, [&](auto& operation) {
        operation_options how = common_options(options);
        how.plan = plan;
        if (plan) {
            plan->algorithm = operation.algorithm(), plan->policy = operation.policy();
            plan->main_launch = operation.main_launch();
        }
        return run_operation(device, operation, how);
    });
}

template <conv_kernels Kernels, class Device, class Operands, class Epilogue>
conv_plan plan_conv(Device& device, const conv_problem& problem, const Operands& operands,
                    const Epilogue& epilogue, const conv_options& options) {
    conv_plan out{};
    run_conv<Kernels>(device, problem, operands, epilogue, options, &out);
    return out;
}

}  // namespace detail

/// y = epilogue(alpha * conv(x, w) + beta * C), and says what ran.
/// In: type of x and the filter; Out: type of y and C; Algorithms: what is compiled beside implicit_gemm, mec
/// and direct. Sums in accumulator_t<In>; one rounding to Out at the end. Of the epilogue a row is a pixel of
/// y (image by image), a column a filter. Work is queued on the device's stream; host and emulated devices
/// are done on return. Throws fade::error, with nothing written, for sizes, pointers or overlaps that cannot
/// be, and in strict mode for a fallback.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Epilogue = epilogue::none>
report conv_forward(Device&& device, const conv_problem& problem, const conv_operands<In, Out>& operands,
                    const Epilogue& epilogue = {}, const conv_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (detail::may_convolve<target, In, Epilogue>()) {
        return detail::run_conv<conv_kernels{conv_pass::forward, Algorithms}>(device, problem, operands,
                                                                              epilogue, options);
    }
}

/// dx = epilogue(alpha * the gradient of x + beta * C): the transposed convolution of dy. As conv_forward; a
/// row of the epilogue is a pixel of x, a column a channel.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Epilogue = epilogue::none>
report conv_backward_data(Device&& device, const conv_problem& problem,
                          const conv_data_operands<In, Out>& operands, const Epilogue& epilogue = {},
                          const conv_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (detail::may_convolve<target, In, Epilogue>()) {
        return detail::run_conv<conv_kernels{conv_pass::backward_data, Algorithms}>(device, problem, operands,
                                                                                    epilogue, options);
    }
}

/// dw = epilogue(alpha * the gradient of the filter + beta * C). As conv_forward; a row of the epilogue is a
/// filter, a column a tap's channel. Sums are made in a fixed order: two runs give the same bits. Where
/// operands.db is given, db[f] = the sum of dy over all pixels, in f32 and rounded once; alpha, beta and the
/// epilogue have no part in it.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Epilogue = epilogue::none>
report conv_backward_weights(Device&& device, const conv_problem& problem,
                             const conv_weights_operands<In, Out>& operands, const Epilogue& epilogue = {},
                             const conv_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (detail::may_convolve<target, In, Epilogue>()) {
        return detail::run_conv<conv_kernels{conv_pass::backward_weights, Algorithms}>(
            device, problem, operands, epilogue, options);
    }
}

/// What conv_forward() would launch, without launching it.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Epilogue = epilogue::none>
conv_plan plan_conv_forward(Device&& device, const conv_problem& problem,
                            const conv_operands<In, Out>& operands, const Epilogue& epilogue = {},
                            const conv_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (detail::may_convolve<target, In, Epilogue>()) {
        return detail::plan_conv<conv_kernels{conv_pass::forward, Algorithms}>(device, problem, operands,
                                                                               epilogue, options);
    }
}

/// What conv_backward_data() would launch, without launching it.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Epilogue = epilogue::none>
conv_plan plan_conv_backward_data(Device&& device, const conv_problem& problem,
                                  const conv_data_operands<In, Out>& operands, const Epilogue& epilogue = {},
                                  const conv_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (detail::may_convolve<target, In, Epilogue>()) {
        return detail::plan_conv<conv_kernels{conv_pass::backward_data, Algorithms}>(
            device, problem, operands, epilogue, options);
    }
}

/// What conv_backward_weights() would launch, without launching it.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Epilogue = epilogue::none>
conv_plan plan_conv_backward_weights(Device&& device, const conv_problem& problem,
                                     const conv_weights_operands<In, Out>& operands,
                                     const Epilogue& epilogue = {}, const conv_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (detail::may_convolve<target, In, Epilogue>()) {
        return detail::plan_conv<conv_kernels{conv_pass::backward_weights, Algorithms}>(
            device, problem, operands, epilogue, options);
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>
