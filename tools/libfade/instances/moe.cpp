// The steps of a mixture of experts around its products, of one type (FADE_C_TYPE).
#include "device.hpp"
#include <fade/moe.hpp>

namespace fade::c {
namespace {

template <class In>
struct route_runner {
    using arguments = fade_moe_route_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const moe_route_problem p{.tokens = a.tokens,
                                  .experts = a.experts,
                                  .top_k = a.top_k,
                                  .scoring = moe_scoring(a.scoring),
                                  .renormalize = a.renormalize != 0,
                                  .weight_scale = a.weight_scale,
                                  .logits_stride = a.logits_stride};
        return made(how, [&](const operation_options& o) {
            return moe_route(on, p, static_cast<const In*>(a.logits), a.choices, a.weights, o);
        });
    }
};

/// A template, since objects for several kinds of devices make one library.
template <class Device>
struct dispatch_runner {
    using arguments = fade_moe_dispatch_args;
    static outcome run(Device& on, const arguments& a, const manner& how) {
        return made(how, [&](const operation_options& o) {
            return moe_dispatch(on, {.tokens = a.tokens, .top_k = a.top_k, .experts = a.experts},
                                {a.choices, a.ends, a.row_list, a.slots}, o);
        });
    }
};

template <class In, class Out>
struct combine_runner {
    using arguments = fade_moe_combine_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const moe_combine_problem p{.tokens = a.tokens,
                                    .top_k = a.top_k,
                                    .columns = a.columns,
                                    .rows = a.rows,
                                    .x_stride = a.x_stride,
                                    .y_stride = a.y_stride};
        const moe_combine_operands<In, Out> memory{.x = static_cast<const In*>(a.x),
                                                   .slots = a.slots,
                                                   .weights = a.weights,
                                                   .y = static_cast<Out*>(a.y)};
        return made(how, [&](const operation_options& o) { return moe_combine(on, p, memory, o); });
    }
};

using in = fade::FADE_C_TYPE;
const add_caller<operation::moe_route, in, float, route_runner<in>> routes;
const add_caller<operation::moe_combine, in, in, combine_runner<in, in>> same;
#if !defined(FADE_C_ARCH)
const add_caller<operation::moe_combine, in, float, combine_runner<in, float>> wide;
#endif

/// Tables have no type of elements: one object of a device makes them.
template <class In>
struct add_dispatch {};
template <>
struct add_dispatch<float> : add_caller<operation::moe_dispatch, i32, i32, dispatch_runner<device>> {};
const add_dispatch<in> dispatches;

}  // namespace
}  // namespace fade::c
