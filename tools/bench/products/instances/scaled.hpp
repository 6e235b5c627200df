// Products of 8-bit floats with a scale for every 128 k.
#pragma once
#include "task.hpp"
#include <fade/scaled_gemm.hpp>

namespace fade::bench {

template <class T>
class scaled_task : public product_task<product_kind::scaled_gemm, T, bf16> {
    using base = product_task<product_kind::scaled_gemm, T, bf16>;
    using S = product_slot;

public:
    using base::base;

    template <class Device>
    fade::report run(Device& device) const {
        return scaled_gemm<T, bf16>(device, problem(), operands(), {}, {.strict = this->call_.strict});
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        const gemm_plan p =
            plan_scaled_gemm<T, bf16>(device, problem(), operands(), {}, {.strict = this->call_.strict});
        return choice_of(p, fields_of(p.policy));
    }

private:
    scaled_gemm_problem problem() const {
        scaled_gemm_problem out;
        out.m = this->call_.m, out.n = this->call_.n, out.k = this->call_.k;
        return out;
    }
    scaled_gemm_operands<T, bf16> operands() const {
        scaled_gemm_operands<T, bf16> out;
        out.a = this->template at<const T>(S::a), out.b = this->template at<const T>(S::b);
        out.scale_a = this->template at<const float>(S::scale_a);
        out.scale_b = this->template at<const float>(S::scale_b);
        out.d = this->template at<bf16>(S::d);
        return out;
    }
};

template <template <class> class Of, class T>
using add_part = add_products<Of, scaled_task<T>>;

}  // namespace fade::bench
