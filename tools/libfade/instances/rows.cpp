// Softmax, cross entropy and reductions, of each type of inputs (FADE_C_TYPES).
#include "finds.hpp"
#include "types.hpp"
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>

namespace fade::c {
namespace {

template <class In, class Out, operation Op>
struct softmax_runner {
    using arguments = fade_softmax_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const softmax_problem p{
            .rows = a.rows, .columns = a.columns, .x_stride = a.x_stride, .y_stride = a.y_stride};
        const auto* x = static_cast<const In*>(a.x);
        auto* y = static_cast<Out*>(a.y);
#if defined(FADE_C_TUNE)
        if constexpr (is_tuned_here<In, Out>())
            if (how.finds)
                return found_of_rows(on, Op, {p.rows, p.columns}, kernel::softmax_rows < In, Out,
                                     Op == operation::log_softmax > {{x, p.x_stride}, {y, p.y_stride}}, how);
#endif
        return made(how, [&](const operation_options& o) {
            if constexpr (Op == operation::softmax)
                return softmax<In, Out>(on, p, x, y, o, how.tuned);
            else
                return log_softmax<In, Out>(on, p, x, y, o, how.tuned);
        });
    }
};

template <class In, class Out, operation Op>
struct softmax_gradient_runner {
    using arguments = fade_softmax_gradient_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const softmax_gradient_problem p{.rows = a.rows,
                                         .columns = a.columns,
                                         .y_stride = a.y_stride,
                                         .dy_stride = a.dy_stride,
                                         .dx_stride = a.dx_stride};
        const auto *y = static_cast<const In*>(a.y), *dy = static_cast<const In*>(a.dy);
        auto* dx = static_cast<Out*>(a.dx);
        return made(how, [&](const operation_options& o) {
            if constexpr (Op == operation::softmax_gradient)
                return softmax_gradient<In, Out>(on, p, y, dy, dx, o);
            else
                return log_softmax_gradient<In, Out>(on, p, y, dy, dx, o);
        });
    }
};

template <class In>
struct entropy_runner {
    using arguments = fade_cross_entropy_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const cross_entropy_problem p{.rows = a.rows,
                                      .columns = a.columns,
                                      .smoothing = a.smoothing,
                                      .ignored_label = a.ignored_label,
                                      .x_stride = a.x_stride};
        return made(how, [&](const operation_options& o) {
            return cross_entropy<In>(
                on, p,
                {.x = static_cast<const In*>(a.x), .labels = a.labels, .loss = a.loss, .log_sum = a.log_sum},
                o);
        });
    }
};

template <class In, class Gradient>
struct entropy_gradient_runner {
    using arguments = fade_cross_entropy_gradient_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const cross_entropy_problem p{.rows = a.rows,
                                      .columns = a.columns,
                                      .smoothing = a.smoothing,
                                      .ignored_label = a.ignored_label,
                                      .x_stride = a.x_stride,
                                      .dx_stride = a.dx_stride};
        return made(how, [&](const operation_options& o) {
            return cross_entropy_gradient<In, Gradient>(on, p,
                                                        {.x = static_cast<const In*>(a.x),
                                                         .labels = a.labels,
                                                         .log_sum = a.log_sum,
                                                         .dloss = a.dloss,
                                                         .dx = static_cast<Gradient*>(a.dx)},
                                                        o);
        });
    }
};

template <class In, class Out, operation Op>
struct reduce_runner {
    using arguments = fade_reduce_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const reduce_problem p{.rows = a.rows,
                               .columns = a.columns,
                               .direction = a.of_columns ? along::columns : along::rows,
                               .x_stride = a.x_stride};
        const auto* x = static_cast<const In*>(a.x);
        [[maybe_unused]] auto* out = static_cast<Out*>(a.values);
        return made(how, [&](const operation_options& o) {
            if constexpr (Op == operation::sum)
                return sum(on, p, x, out, o);
            else if constexpr (Op == operation::mean)
                return mean(on, p, x, out, o);
            else if constexpr (Op == operation::max)
                return max(on, p, x, out, a.places, o);
            else
                return argmax(on, p, x, a.places, o);
        });
    }
};

template <class In, class Out>
struct top_k_runner {
    using arguments = fade_top_k_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const top_k_problem p{.rows = a.rows,
                              .columns = a.columns,
                              .k = a.k,
                              .x_stride = a.x_stride,
                              .direction = a.of_columns ? along::columns : along::rows};
        return made(how, [&](const operation_options& o) {
            return top_k(on, p, static_cast<const In*>(a.x), static_cast<Out*>(a.values), a.places, o);
        });
    }
};

/// All operations of a type whose results have the type Out.
template <class In, class Out>
void add_rows() {
    using enum operation;
    add_find<softmax, In, Out>(), add_find<log_softmax, In, Out>();
    add_caller<softmax, In, Out, softmax_runner<In, Out, softmax>>();
    add_caller<log_softmax, In, Out, softmax_runner<In, Out, log_softmax>>();
    add_caller<softmax_gradient, In, Out, softmax_gradient_runner<In, Out, softmax_gradient>>();
    add_caller<log_softmax_gradient, In, Out, softmax_gradient_runner<In, Out, log_softmax_gradient>>();
    add_caller<cross_entropy_gradient, In, Out, entropy_gradient_runner<In, Out>>();
    add_caller<sum, In, Out, reduce_runner<In, Out, sum>>();
    add_caller<mean, In, Out, reduce_runner<In, Out, mean>>();
    add_caller<max, In, Out, reduce_runner<In, Out, max>>();
    add_caller<top_k, In, Out, top_k_runner<In, Out>>();
}

/// Losses and places have one type each, which is no choice of the caller's.
template <class In>
void add_fixed() {
    add_caller<operation::cross_entropy, In, float, entropy_runner<In>>();
    add_caller<operation::argmax, In, i32, reduce_runner<In, i32, operation::argmax>>();
}

template <class In>
void add() {
#if defined(FADE_C_SUMS)
    add_caller<operation::sum, In, In, reduce_runner<In, In, operation::sum>>();
    add_caller<operation::sum, In, float, reduce_runner<In, float, operation::sum>>();
#else
    add_rows<In, In>();
    add_fixed<In>();
#if !defined(FADE_C_ARCH)
    if constexpr (!std::is_same_v<In, float>) add_rows<In, float>();
#endif
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c
