// Steps of optimizers, of one type of gradients (FADE_C_TYPE).
#include "device.hpp"
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

using in = fade::FADE_C_TYPE;
template <class Copy>
struct add_steps {
    add_steps() {
        static_cast<void>(add_caller<operation::sgd_step, in, Copy, sgd_runner<in, Copy>>());
        static_cast<void>(add_caller<operation::adamw_step, in, Copy, adamw_runner<in, Copy>>());
    }
};
const add_steps<float> steps_to_f32;
#if !defined(FADE_C_ARCH)
const add_steps<f16> steps_to_f16;
const add_steps<bf16> steps_to_bf16;
#endif
const add_caller<operation::find_nonfinite, in, float, nonfinite_runner<in>> searches;

}  // namespace
}  // namespace fade::c
