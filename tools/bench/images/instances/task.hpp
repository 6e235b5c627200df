// An operator over images as the library's own call.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"
#include <fade/batch_norm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/pool.hpp>
#include <fade/upsample.hpp>

namespace fade::bench {

inline image_call moved(image_call call, const auto& there) {
    for (void*& p : call.memory)
        if (p) p = there(p);
    return call;
}

template <class T>
class image_task {
public:
    using In = T;
    using Out = T;
    using runner = image_runner;
    /// These kernels know of an architecture how many lanes its waves have, and nothing else.
    template <class One, class Other>
    static constexpr bool same_kernels = One::traits.wave_size == Other::traits.wave_size;

    explicit image_task(const image_call& call) : call_(call) {}

    const image_call& call() const { return call_; }
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
        out.policy = {{"kind", p.report.chosen, {}}};
        // Normalisation sums first and writes images last.
        if (!out.launches.empty()) {
            out.main_launch = call_.problem.norms() ? out.launches.size() - 1 : 0;
            out.policy.push_back({"lanes", "", {out.launches[out.main_launch].block[0]}});
        }
        return out;
    }

private:
    using S = image_slot;

    operation_options options() const {
        return {
            .workspace = call_.workspace, .workspace_bytes = call_.workspace_bytes, .strict = call_.strict};
    }
    template <class E>
    E* at(S slot) const {
        return call_.template at<E>(slot);
    }

    template <class Device>
    fade::report start(Device& device, const operation_options& o) const {
        return call_.problem.backward ? backward(device, o) : forward(device, o);
    }

    template <class Device>
    fade::report forward(Device& device, const operation_options& o) const {
        const image_problem& p = call_.problem;
        const T* const x = at<const T>(S::x);
        T* const y = at<T>(S::y);
        switch (p.op) {
        case image_operator::max_pool:
            return max_pool<T>(device, p.pool, {.x = x, .y = y, .indices = at<int>(S::indices)}, o);
        case image_operator::avg_pool:
            return avg_pool<T>(device, p.pool, {.x = x, .y = y}, o);
        case image_operator::batch_norm:
            return batch_norm<T>(device, p.norm,
                                 {.x = x,
                                  .y = y,
                                  .weight = at<const float>(S::weight),
                                  .bias = at<const float>(S::bias),
                                  .mean = at<float>(S::mean),
                                  .inverse_root = at<float>(S::inverse_root)},
                                 o);
        case image_operator::batch_norm_inference:
            return batch_norm_inference<T>(device, p.norm,
                                           {.x = x,
                                            .y = y,
                                            .weight = at<const float>(S::weight),
                                            .bias = at<const float>(S::bias),
                                            .mean = at<const float>(S::mean),
                                            .variance = at<const float>(S::variance)},
                                           o);
        case image_operator::upsample:
            return upsample<T>(device, p.up, x, y, o);
        default:
            return grid_sample<T>(device, p.grid, {.x = x, .grid = at<const float>(S::grid), .y = y}, o);
        }
    }

    template <class Device>
    fade::report backward(Device& device, const operation_options& o) const {
        const image_problem& p = call_.problem;
        const T* const dy = at<const T>(S::dy);
        T* const dx = at<T>(S::dx);
        switch (p.op) {
        case image_operator::max_pool:
            return max_pool_gradient<T>(device, p.pool,
                                        {.dy = dy, .indices = at<const int>(S::indices), .dx = dx}, o);
        case image_operator::avg_pool:
            return avg_pool_gradient<T>(device, p.pool, {.dy = dy, .dx = dx}, o);
        case image_operator::upsample:
            return upsample_gradient<T>(device, p.up, dy, dx, o);
        case image_operator::grid_sample:
            return grid_sample_gradient<T>(device, p.grid,
                                           {.x = at<const T>(S::x),
                                            .grid = at<const float>(S::grid),
                                            .dy = dy,
                                            .dx = dx,
                                            .dgrid = at<float>(S::dgrid)},
                                           o);
        default:  // batch_norm_inference has no backward pass
            return batch_norm_gradient<T>(device, p.norm,
                                          {.x = at<const T>(S::x),
                                           .dy = dy,
                                           .weight = at<const float>(S::weight),
                                           .mean = at<const float>(S::mean),
                                           .inverse_root = at<const float>(S::inverse_root),
                                           .dx = dx,
                                           .dweight = at<float>(S::dweight),
                                           .dbias = at<float>(S::dbias)},
                                          o);
        }
    }

    image_call call_;
};

}  // namespace fade::bench
