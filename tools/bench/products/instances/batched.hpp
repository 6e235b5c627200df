// Products by tables of pointers.
#pragma once
#include "task.hpp"
#include <fade/batched_gemm.hpp>

namespace fade::bench {

template <class T>
class batched_task : public product_task<product_kind::batched_gemm, T, T> {
    using base = product_task<product_kind::batched_gemm, T, T>;
    using S = product_slot;

public:
    using base::base;

    /// Tables are right, so that nobody looks at them.
    template <class Device>
    fade::report run(Device& device) const {
        return batched_gemm<T>(device, problem(), operands(), {}, options());
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        const gemm_plan p = plan_batched_gemm<T>(device, problem(), operands(), {}, options());
        return choice_of(p, fields_of(p.policy));
    }

private:
    gemm_problem problem() const {
        gemm_problem out;
        out.m = this->call_.m, out.n = this->call_.n, out.k = this->call_.k, out.layout = gemm_layout::nt;
        out.batch = this->call_.batch;
        return out;
    }
    batched_gemm_operands<T> operands() const {
        batched_gemm_operands<T> out;
        out.a = this->template at<const T* const>(S::a_table);
        out.b = this->template at<const T* const>(S::b_table);
        out.d = this->template at<T* const>(S::d_table);
        return out;
    }
    /// Matrices lie side by side, so that their pointers are multiples of as much as their sizes are.
    batched_gemm_options options() const {
        const product_call& c = this->call_;
        const index bits = c.m * c.k * index(sizeof(T)) | c.n * c.k * index(sizeof(T)) | 16;
        return {.strict = c.strict, .alignment = int(bits & -bits), .check_pointers = false};
    }
};

}  // namespace fade::bench
