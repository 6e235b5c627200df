// A primitive as the library's own call.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"
#include <fade/primitives.hpp>

namespace fade::bench {

inline primitive_call moved(primitive_call call, const auto& there) {
    for (void*& p : call.memory)
        if (p) p = there(p);
    return call;
}

template <class T>
class primitive_task {
public:
    using In = T;
    using Out = T;
    using runner = primitive_runner;

    explicit primitive_task(const primitive_call& call) : call_(call) {}

    const primitive_call& call() const { return call_; }
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
        out.kernel = backend::primitive_library<Device>::vendor ? p.report.chosen : "std";
        return out;
    }

private:
    using S = primitive_slot;

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
        const index n = call_.count;
        const T* x = at<const T>(S::x);
        switch (call_.op) {
        case primitive_kind::sort:
            return sort(device, {n}, x, at<T>(S::y), o);
        case primitive_kind::sort_pairs:
            return sort_pairs(device, {n}, x, at<const int>(S::values), at<T>(S::y), at<int>(S::places), o);
        case primitive_kind::select:
            return select(device, {n}, x, at<const std::uint8_t>(S::flags), at<T>(S::y), at<int>(S::selected),
                          o);
        case primitive_kind::reduce:
            return reduce(device, {n}, x, at<reduced_t<T>>(S::y), o);
        case primitive_kind::segmented_reduce:
            return segmented_reduce(device, {n, call_.segments}, x, at<const int>(S::offsets),
                                    at<reduced_t<T>>(S::y), o);
        case primitive_kind::histogram:
            return histogram(device, {n, histogram_bins, histogram_lower, histogram_upper}, x,
                             at<int>(S::counts), o);
        case primitive_kind::top_k:
            return list_top_k(device, {n, call_.k}, x, at<T>(S::y), at<int>(S::places), o);
        default:
            break;
        }
        if constexpr (sizeof(T) >= 4)
            return inclusive_scan(device, {n, true}, x, at<T>(S::y), o);
        else
            throw error("dtype", fade::name(dtype_v<T>), "scans take f32");
    }

    primitive_call call_;
};

}  // namespace fade::bench
