// The steps of a mixture of experts around its products, of each type (FADE_C_TYPES).
#include "types.hpp"
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

template <class In>
void add() {
    if constexpr (std::is_same_v<In, float>)  // tables have no type of elements: one object makes them
        add_caller<operation::moe_dispatch, i32, i32, dispatch_runner<device>>();
    add_caller<operation::moe_route, In, float, route_runner<In>>();
    add_caller<operation::moe_combine, In, In, combine_runner<In, In>>();
#if !defined(FADE_C_ARCH)
    add_caller<operation::moe_combine, In, float, combine_runner<In, float>>();
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c
