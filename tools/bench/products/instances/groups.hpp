// Products of groups and of batches by tables, and the mixture of experts around groups.
#pragma once
#include "batched.hpp"
#include "task.hpp"
#include <fade/moe.hpp>

namespace fade::bench {

/// Groups of rows, or along k.
template <class T, product_kind Kind>
class groups_task : public product_task<Kind, T, T> {
    using base = product_task<Kind, T, T>;
    using S = product_slot;
    static constexpr bool along_k = Kind == product_kind::grouped_k_gemm;

public:
    using base::base;

    /// Tables are right, so that no GPU is waited for.
    template <class Device>
    fade::report run(Device& device) const {
        if constexpr (along_k)
            return grouped_k_gemm<T>(device, problem(), operands(), {}, options());
        else
            return grouped_gemm<T>(device, problem(), operands(), {}, options());
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        gemm_plan p;
        if constexpr (along_k)
            p = plan_grouped_k_gemm<T>(device, problem(), operands(), {}, options());
        else
            p = plan_grouped_gemm<T>(device, problem(), operands(), {}, options());
        return choice_of(p, fields_of(p.policy));
    }

private:
    auto problem() const {
        std::conditional_t<along_k, grouped_k_gemm_problem, grouped_gemm_problem> out;
        if constexpr (along_k)
            out.m = this->call_.m;
        else
            out.rows = this->call_.m;
        out.n = this->call_.n, out.k = this->call_.k, out.groups = this->call_.groups;
        return out;
    }
    auto operands() const {
        std::conditional_t<along_k, grouped_k_gemm_operands<T>, grouped_gemm_operands<T>> out;
        out.a = this->template at<const T>(S::a), out.b = this->template at<const T>(S::b);
        out.ends = this->template at<const int>(S::ends), out.d = this->template at<T>(S::d);
        return out;
    }
    grouped_gemm_options options() const {
        grouped_gemm_options out;
        out.strict = this->call_.strict;
        return out;
    }
};
template <class T>
using grouped_task = groups_task<T, product_kind::grouped_gemm>;
template <class T>
using along_k_task = groups_task<T, product_kind::grouped_k_gemm>;

/// From the router's logits to the sum of what the experts made: route, dispatch, a gated product, a product,
/// combine.
template <class T>
class moe_task : public product_task<product_kind::moe, T, T> {
    using base = product_task<product_kind::moe, T, T>;
    using S = product_slot;

public:
    using base::base;

    template <class Device>
    fade::report run(Device& device) const {
        start_tables(device, {.strict = this->call_.strict});
        fade::report out = grouped_gemm<T>(device, up(), up_operands(), swiglu(), products());
        grouped_gemm<T>(device, down(), down_operands(), {}, products());
        start_sum(device, {.strict = this->call_.strict});
        return said(std::move(out));
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        operation_plan all;
        operation_options planning;
        planning.strict = this->call_.strict, planning.plan = &all;
        start_tables(device, planning);
        const std::size_t before = all.launches.size();
        const gemm_plan first = plan_grouped_gemm<T>(device, up(), up_operands(), swiglu(), products());
        const gemm_plan second = plan_grouped_gemm<T>(device, down(), down_operands(), {}, products());
        for (const gemm_plan* p : {&first, &second})
            all.launches.insert(all.launches.end(), p->launches.begin(), p->launches.end());
        start_sum(device, planning);
        all.report = said(first.report);
        all.workspace_bytes = std::max(first.workspace_bytes, second.workspace_bytes);
        kernel_choice out = choice_of(all, fields_of(first.policy));
        out.main_launch = before;
        return out;
    }

private:
    static fade::report said(fade::report of_up) {
        of_up.requested =
            "moe: route, dispatch, two products of groups, combine; the first is " + of_up.requested;
        return of_up;
    }
    const product_call& c() const { return this->call_; }
    template <class Device>
    void start_tables(Device& device, const operation_options& o) const {
        moe_route(device, {.tokens = c().m, .experts = c().groups, .top_k = c().top_k},
                  this->template at<const T>(S::logits), this->template at<int>(S::choices),
                  this->template at<float>(S::shares), o);
        moe_dispatch(device, {c().m, c().top_k, c().groups},
                     {this->template at<const int>(S::choices), this->template at<int>(S::ends),
                      this->template at<int>(S::row_list), this->template at<int>(S::slots)},
                     o);
    }
    template <class Device>
    void start_sum(Device& device, const operation_options& o) const {
        moe_combine_operands<T> memory;
        memory.x = this->template at<const T>(S::made), memory.slots = this->template at<const int>(S::slots);
        memory.weights = this->template at<const float>(S::shares), memory.y = this->template at<T>(S::d);
        moe_combine<T>(device,
                       {.tokens = c().m, .top_k = c().top_k, .columns = c().k, .rows = c().m * c().top_k},
                       memory, o);
    }
    grouped_gemm_problem up() const {
        grouped_gemm_problem out;
        out.rows = c().m * c().top_k, out.n = 2 * c().n, out.k = c().k, out.groups = c().groups;
        out.rows_of_a = c().m;
        return out;
    }
    grouped_gemm_problem down() const {
        grouped_gemm_problem out;
        out.rows = c().m * c().top_k, out.n = c().k, out.k = c().n, out.groups = c().groups;
        return out;
    }
    grouped_gemm_operands<T> up_operands() const {
        grouped_gemm_operands<T> out;
        out.a = this->template at<const T>(S::a), out.b = this->template at<const T>(S::b);
        out.d = this->template at<T>(S::inner);
        out.ends = this->template at<const int>(S::ends);
        out.row_list = this->template at<const int>(S::row_list);
        return out;
    }
    grouped_gemm_operands<T> down_operands() const {
        grouped_gemm_operands<T> out;
        out.a = this->template at<const T>(S::inner), out.b = this->template at<const T>(S::down);
        out.d = this->template at<T>(S::made), out.ends = this->template at<const int>(S::ends);
        return out;
    }
    grouped_gemm_options products() const {
        grouped_gemm_options out;
        out.strict = c().strict;
        return out;
    }
};

template <template <class> class Of, class T>
using add_part = add_products<Of, batched_task<T>, grouped_task<T>, along_k_task<T>, moe_task<T>>;

}  // namespace fade::bench
