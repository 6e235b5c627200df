// A row operator as the library's own call.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>

namespace fade::bench {

inline rows_call moved(rows_call call, const auto& there) {
    for (void*& p : call.memory)
        if (p) p = there(p);
    return call;
}

/// Of argmax the output is i32, and of no other.
template <class In_, class Out_>
class rows_task {
public:
    using In = In_;
    using Out = Out_;
    using runner = rows_runner;
    /// Row kernels know of an architecture how many lanes its waves have, and nothing else.
    template <class One, class Other>
    static constexpr bool same_kernels = One::traits.wave_size == Other::traits.wave_size;

    explicit rows_task(const rows_call& call) : call_(call) {}

    const rows_call& call() const { return call_; }
    template <class Device>
    fade::report run(Device& device) const {
        return start(device, options());
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        operation_plan p;
        operation_options o = options();
        o.plan = &p;
        p.report = start(device, o);
        kernel_choice out = choice_of(p, {});
        // Gradients of weights come first, but where rows leave their sums: those are added up last, as are
        // those that results of columns share.
        const bool adds_last = call_.of_columns || p.report.chosen.ends_with("with sums of columns");
        if (!out.launches.empty()) out.main_launch = adds_last ? 0 : out.launches.size() - 1;
        out.policy = {kind_of(p.report), {"whole_runs", "", {!p.report.fallback}}};
        if (!out.launches.empty())
            out.policy.push_back({"lanes", "", {out.launches[out.main_launch].block[0]}});
        return out;
    }

private:
    using S = row_slot;

    /// "rows wave" is the kind wave, "columns in 3 strips" are columns.
    policy_field kind_of(const fade::report& r) const {
        const std::size_t from = call_.of_columns ? 0 : r.chosen.find(' ') + 1;
        return {"kind", r.chosen.substr(from, r.chosen.find(' ', from) - from), {}};
    }
    operation_options options() const {
        return {
            .workspace = call_.workspace, .workspace_bytes = call_.workspace_bytes, .strict = call_.strict};
    }

    template <class Device>
    fade::report start(Device& device, const operation_options& o) const {
        if constexpr (std::is_same_v<Out, i32>)
            return argmax(device, reduced(), x(), out<int>(S::places), o);
        else
            return call_.backward ? backward(device, o) : forward(device, o);
    }

    template <class Device>
    fade::report forward(Device& device, const operation_options& o) const {
        switch (call_.op) {
        case row_operator::rms_norm:
            return rms_norm<In, Out>(device, norm(), norm_memory(), o);
        case row_operator::layer_norm:
            return layer_norm<In, Out>(device, norm(), norm_memory(), o);
        case row_operator::softmax:
            return softmax<In, Out>(device, softened(), x(), out<Out>(S::y), o);
        case row_operator::log_softmax:
            return log_softmax<In, Out>(device, softened(), x(), out<Out>(S::y), o);
        case row_operator::cross_entropy:
            return cross_entropy<In>(
                device, entropy(), {.x = x(), .labels = in<int>(S::labels), .loss = out<float>(S::loss)}, o);
        case row_operator::sum:
            return sum(device, reduced(), x(), out<Out>(S::y), o);
        case row_operator::mean:
            return mean(device, reduced(), x(), out<Out>(S::y), o);
        case row_operator::max:
            return max(device, reduced(), x(), out<Out>(S::y), nullptr, o);
        default:
            return top_k(
                device,
                {.rows = call_.rows, .columns = call_.columns, .k = call_.k, .direction = direction()}, x(),
                out<Out>(S::y), out<int>(S::places), o);
        }
    }

    template <class Device>
    fade::report backward(Device& device, const operation_options& o) const {
        const norm_gradient_problem norms{.rows = call_.rows, .columns = call_.columns};
        const softmax_gradient_problem softmaxes{.rows = call_.rows, .columns = call_.columns};
        switch (call_.op) {
        case row_operator::rms_norm:
            return rms_norm_gradient<In, Out>(device, norms, gradient_memory(), o);
        case row_operator::layer_norm:
            return layer_norm_gradient<In, Out>(device, norms, gradient_memory(), o);
        case row_operator::softmax:
            return softmax_gradient<In, Out>(device, softmaxes, in<In>(S::y), in<In>(S::dy), out<Out>(S::dx),
                                             o);
        case row_operator::log_softmax:
            return log_softmax_gradient<In, Out>(device, softmaxes, in<In>(S::y), in<In>(S::dy),
                                                 out<Out>(S::dx), o);
        default:
            return cross_entropy_gradient<In, Out>(device, entropy(),
                                                   {.x = x(),
                                                    .labels = in<int>(S::labels),
                                                    .log_sum = in<float>(S::log_sum),
                                                    .dloss = in<float>(S::dloss),
                                                    .dx = out<Out>(S::dx)},
                                                   o);
        }
    }

    template <class T>
    const T* in(row_slot slot) const {
        return call_.template at<const T>(slot);
    }
    template <class T>
    T* out(row_slot slot) const {
        return call_.template at<T>(slot);
    }
    const In* x() const { return in<In>(S::x); }

    norm_problem norm() const { return {.rows = call_.rows, .columns = call_.columns}; }
    softmax_problem softened() const { return {.rows = call_.rows, .columns = call_.columns}; }
    cross_entropy_problem entropy() const { return {.rows = call_.rows, .columns = call_.columns}; }
    along direction() const { return call_.of_columns ? along::columns : along::rows; }
    reduce_problem reduced() const {
        return {.rows = call_.rows, .columns = call_.columns, .direction = direction()};
    }
    norm_operands<In, Out> norm_memory() const {
        return {.x = x(),
                .residual = in<In>(S::residual),
                .sum = out<In>(S::sum),
                .weight = in<In>(S::weight),
                .bias = in<In>(S::bias),
                .y = out<Out>(S::y)};
    }
    norm_gradient_operands<In, Out> gradient_memory() const {
        return {.h = x(),
                .dy = in<Out>(S::dy),
                .dsum = in<Out>(S::dsum),
                .weight = in<In>(S::weight),
                .mean = in<float>(S::mean),
                .inverse_root = in<float>(S::inverse_root),
                .dx = out<Out>(S::dx),
                .dweight = out<In>(S::dweight),
                .dbias = out<In>(S::dbias)};
    }

    rows_call call_;
};

}  // namespace fade::bench
