// Norms and their gradients, of each type of inputs (FADE_C_TYPES).
#include "finds.hpp"
#include "types.hpp"
#include <fade/norm.hpp>

namespace fade::c {
namespace {

/// f of the type of weights: the inputs' own, or f32.
template <class In, class F>
outcome with_weights(fade_dtype weights, F&& f) {
    if (weights == int(dtype_v<In>)) return f(In{});
    if (weights == FADE_F32) return f(float{});
    throw error("weights", fade::name(dtype(weights)), "weights have the type of x, or f32");
}

template <class In, class Out, operation Op>
struct norm_runner {
    using arguments = fade_norm_args;

    template <class Weight>
    static outcome with(device& on, const arguments& a, const manner& how) {
        const norm_problem p{.rows = a.rows,
                             .columns = a.columns,
                             .epsilon = a.epsilon,
                             .weight_offset = a.weight_offset,
                             .x_stride = a.x_stride,
                             .residual_stride = a.residual_stride,
                             .sum_stride = a.sum_stride,
                             .y_stride = a.y_stride};
        const norm_operands<In, Out, Weight> o{.x = static_cast<const In*>(a.x),
                                               .residual = static_cast<const In*>(a.residual),
                                               .sum = static_cast<In*>(a.sum),
                                               .weight = static_cast<const Weight*>(a.weight),
                                               .bias = static_cast<const Weight*>(a.bias),
                                               .y = static_cast<Out*>(a.y),
                                               .scales = a.scales,
                                               .mean = a.mean,
                                               .inverse_root = a.inverse_root};
#if defined(FADE_C_TUNE)
        if constexpr (is_tuned_here<In, Out>())
            if (how.finds) {
                if constexpr (Op == operation::rms_norm)
                    return found_of_rows(on, Op, {p.rows, p.columns}, detail::rms_norm_operator(p, o), how);
                else
                    return found_of_rows(on, Op, {p.rows, p.columns}, detail::layer_norm_operator(p, o), how);
            }
#endif
        operation_plan plan;
        const operation_options options = options_of(how, plan);
        if constexpr (Op == operation::rms_norm)
            return outcome_of(rms_norm<In, Out, Weight>(on, p, o, options, how.tuned), std::move(plan));
        else
            return outcome_of(layer_norm<In, Out, Weight>(on, p, o, options, how.tuned), std::move(plan));
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        return with_weights<In>(a.weights, [&](auto w) { return with<decltype(w)>(on, a, how); });
    }
};

template <class In, class Gradient, operation Op>
struct gradient_runner {
    using arguments = fade_norm_gradient_args;

    template <class Weight>
    static outcome with(device& on, const arguments& a, const manner& how) {
        const norm_gradient_problem p{.rows = a.rows,
                                      .columns = a.columns,
                                      .weight_offset = a.weight_offset,
                                      .h_stride = a.h_stride,
                                      .dy_stride = a.dy_stride,
                                      .dsum_stride = a.dsum_stride,
                                      .dx_stride = a.dx_stride};
        const norm_gradient_operands<In, Gradient, Weight> o{.h = static_cast<const In*>(a.h),
                                                             .dy = static_cast<const Gradient*>(a.dy),
                                                             .dsum = static_cast<const Gradient*>(a.dsum),
                                                             .weight = static_cast<const Weight*>(a.weight),
                                                             .mean = a.mean,
                                                             .inverse_root = a.inverse_root,
                                                             .dx = static_cast<Gradient*>(a.dx),
                                                             .dweight = static_cast<Weight*>(a.dweight),
                                                             .dbias = static_cast<Weight*>(a.dbias)};
        operation_plan plan;
        const operation_options options = options_of(how, plan);
        if constexpr (Op == operation::rms_norm_gradient)
            return outcome_of(rms_norm_gradient<In, Gradient, Weight>(on, p, o, options), std::move(plan));
        else
            return outcome_of(layer_norm_gradient<In, Gradient, Weight>(on, p, o, options), std::move(plan));
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        return with_weights<In>(a.weights, [&](auto w) { return with<decltype(w)>(on, a, how); });
    }
};

template <operation Op, class In, class Out>
void add_norm() {
    add_caller<Op, In, Out, norm_runner<In, Out, Op>>();
    add_find<Op, In, Out>();
}
template <class In, class... Outs>
void add_norms() {
    (add_norm<operation::rms_norm, In, Outs>(), ...);
    (add_norm<operation::layer_norm, In, Outs>(), ...);
}

template <operation Op, class In>
void add_gradient() {
    add_caller<Op, In, In, gradient_runner<In, In, Op>>();
}
template <class In>
void add_gradients() {
    add_gradient<operation::rms_norm_gradient, In>();
    add_gradient<operation::layer_norm_gradient, In>();
}

// 8-bit results cost compile time, and differ in a store alone: GPUs have them all, CPUs the usual ones. nvcc
// makes each in a part of its own.
#if defined(FADE_C_PART)
template <class In>
void add() {
    if constexpr (FADE_C_PART == 0) add_norms<In, In>();
    if constexpr (FADE_C_PART == 1) add_norms<In, i8, f8e4m3>();
    if constexpr (FADE_C_PART == 2) add_norms<In, f8e5m2>();
    if constexpr (FADE_C_PART == 3) add_gradients<In>();
    if constexpr (FADE_C_PART == 4) add_norms<In, f8e4m3fnuz>();
    if constexpr (FADE_C_PART == 5) add_norms<In, f8e5m2fnuz>();
}
#else
template <class In>
void add() {
    add_norms<In, In>();
    add_gradients<In>();
#if !defined(FADE_C_ARCH)
    add_norms<In, i8, f8e4m3>();
#endif
#if defined(__HIP__)
    add_norms<In, f8e5m2, f8e4m3fnuz, f8e5m2fnuz>();
#endif
}
#endif
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c
