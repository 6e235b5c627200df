// Products with quantised weights.
#pragma once
#include "task.hpp"
#include <fade/moe.hpp>
#include <fade/weight_gemm.hpp>

namespace fade::bench {

constexpr weight_format format_of(weight_kind kind) {
    switch (kind) {
    case weight_kind::gptq:
        return weights::gptq();
    case weight_kind::awq:
        return weights::awq();
    case weight_kind::int8_rows:
        return weights::int8_rows();
    case weight_kind::mxfp4:
        return weights::mxfp4();
    case weight_kind::mxfp8:
        return weights::mxfp8();
    default:
        return weights::nvfp4();
    }
}

/// Of all rows, or of groups of them.
template <class T, weight_kind Kind, product_kind Op>
class weights_task : public product_task<Op, T, T> {
    using base = product_task<Op, T, T>;
    using S = product_slot;
    static constexpr weight_format format = format_of(Kind);
    static constexpr bool grouped = Op == product_kind::grouped_weight_gemm;

public:
    class runner : public base::runner {
    public:
        using base::runner::runner;
        std::optional<weight_kind> format() const override { return Kind; }
    };
    using base::base;

    template <class Device>
    fade::report run(Device& device) const {
        if constexpr (grouped)
            return grouped_weight_gemm<format, T>(device, problem(), operands());
        else
            return weight_gemm<format, T>(device, problem(), operands(), {}, options());
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        std::conditional_t<grouped, grouped_weight_gemm_plan, weight_gemm_plan> p;
        if constexpr (grouped)
            p = plan_grouped_weight_gemm<format, T>(device, problem(), operands());
        else
            p = plan_weight_gemm<format, T>(device, problem(), operands(), {}, options());
        return choice_of(p, fields_of(p.policy));
    }

private:
    auto problem() const {
        std::conditional_t<grouped, grouped_weight_gemm_problem, weight_gemm_problem> out;
        if constexpr (grouped)
            out.rows = this->call_.m, out.groups = this->call_.groups;
        else
            out.m = this->call_.m;
        out.n = this->call_.n, out.k = this->call_.k;
        return out;
    }
    auto operands() const {
        std::conditional_t<grouped, grouped_weight_gemm_operands<format, T>, weight_gemm_operands<format, T>>
            out;
        out.a = this->template at<const T>(S::a), out.d = this->template at<T>(S::d);
        out.weights = this->template at<const void>(S::weights);
        out.scales = this->template at<const weight_scale_t<format>>(S::scales);
        out.zeros = this->template at<const void>(S::zeros);
        if constexpr (grouped) out.ends = this->template at<const int>(S::ends);
        return out;
    }
    weight_gemm_options options() const {
        weight_gemm_options out;
        out.strict = this->call_.strict, out.split_k = this->call_.split_k;
        out.workspace = this->call_.workspace, out.workspace_bytes = this->call_.workspace_bytes;
        return out;
    }
};
template <class T, weight_kind Kind>
using weight_task = weights_task<T, Kind, product_kind::weight_gemm>;
template <class T, weight_kind Kind>
using grouped_weight_task = weights_task<T, Kind, product_kind::grouped_weight_gemm>;

/// What an object of this part holds: all formats.
template <template <class> class Of, class T>
using add_part =
    add_products<Of, weight_task<T, weight_kind::gptq>, weight_task<T, weight_kind::awq>,
                 weight_task<T, weight_kind::int8_rows>, weight_task<T, weight_kind::mxfp4>,
                 weight_task<T, weight_kind::mxfp8>, weight_task<T, weight_kind::nvfp4>,
                 grouped_weight_task<T, weight_kind::gptq>, grouped_weight_task<T, weight_kind::awq>,
                 grouped_weight_task<T, weight_kind::int8_rows>, grouped_weight_task<T, weight_kind::mxfp4>,
                 grouped_weight_task<T, weight_kind::mxfp8>, grouped_weight_task<T, weight_kind::nvfp4>>;

}  // namespace fade::bench
