// Steps of optimizers, of each type of gradients (FADE_C_TYPES).
#include "types.hpp"
#include <fade/optimizer.hpp>

namespace fade::c {
namespace {

template <class Gradient, class Copy>
struct sgd_runner {
    using arguments = fade_sgd_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const sgd_problem p{.count = a.count,
                            .rate = a.rate,
                            .momentum = a.momentum,
                            .weight_decay = a.weight_decay,
                            .nesterov = a.nesterov != 0,
                            .loss_scale = a.loss_scale};
        const sgd_operands<Gradient, Copy> memory{.gradient = static_cast<const Gradient*>(a.gradient),
                                                  .master = a.master,
                                                  .velocity = a.velocity,
                                                  .copy = static_cast<Copy*>(a.copy),
                                                  .nonfinite = a.nonfinite};
        return made(how, [&](const operation_options& o) { return sgd_step(on, p, memory, o); });
    }
};

template <class Gradient, class Copy>
struct adamw_runner {
    using arguments = fade_adamw_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const adamw_problem p{.count = a.count,
                              .rate = a.rate,
                              .beta1 = a.beta1,
                              .beta2 = a.beta2,
                              .epsilon = a.epsilon,
                              .weight_decay = a.weight_decay,
                              .step = a.step,
                              .loss_scale = a.loss_scale};
        const adamw_operands<Gradient, Copy> memory{.gradient = static_cast<const Gradient*>(a.gradient),
                                                    .master = a.master,
                                                    .first_moment = a.first_moment,
                                                    .second_moment = a.second_moment,
                                                    .copy = static_cast<Copy*>(a.copy),
                                                    .nonfinite = a.nonfinite};
        return made(how, [&](const operation_options& o) { return adamw_step(on, p, memory, o); });
    }
};

template <class Gradient>
struct nonfinite_runner {
    using arguments = fade_nonfinite_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const auto* gradient = static_cast<const Gradient*>(a.gradient);
        return made(how, [&](const operation_options& o) {
            return find_nonfinite(on, a.count, gradient, a.nonfinite, o);
        });
    }
};

template <class In, class Copy>
void add_steps() {
    add_caller<operation::sgd_step, In, Copy, sgd_runner<In, Copy>>();
    add_caller<operation::adamw_step, In, Copy, adamw_runner<In, Copy>>();
}
template <class In>
void add() {
    add_steps<In, float>();
#if !defined(FADE_C_ARCH)
    add_steps<In, f16>();
    add_steps<In, bf16>();
#endif
    add_caller<operation::find_nonfinite, In, float, nonfinite_runner<In>>();
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c
