// Products with gated columns.
#pragma once
#include "task.hpp"
#include <fade/gemm.hpp>

namespace fade::bench {

template <class T>
class gated_task : public product_task<product_kind::gated_gemm, T, T> {
    using base = product_task<product_kind::gated_gemm, T, T>;
    using S = product_slot;

public:
    using base::base;

    template <class Device>
    fade::report run(Device& device) const {
        return with_gate(
            [&](const auto& gate) { return gemm<T>(device, problem(), operands(), gate, options()); });
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        return with_gate([&](const auto& gate) {
            const gemm_plan p = plan_gemm<T>(device, problem(), operands(), gate, options());
            return choice_of(p, fields_of(p.policy));
        });
    }

private:
    template <class F>
    auto with_gate(const F& f) const {
        return this->call_.gate == gate_kind::swiglu ? f(swiglu()) : f(geglu());
    }
    gemm_problem problem() const {
        gemm_problem out;
        out.m = this->call_.m, out.n = this->call_.n, out.k = this->call_.k, out.layout = gemm_layout::nt;
        return out;
    }
    gemm_operands<T> operands() const {
        gemm_operands<T> out;
        out.a = this->template at<const T>(S::a), out.b = this->template at<const T>(S::b);
        out.d = this->template at<T>(S::d);
        return out;
    }
    gemm_options options() const {
        gemm_options out;
        out.strict = this->call_.strict;
        return out;
    }
};

template <template <class> class Of, class T>
using add_part = add_products<Of, gated_task<T>>;

}  // namespace fade::bench
