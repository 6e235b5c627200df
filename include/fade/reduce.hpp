// One value of each row or column, and the k largest of each, on every machine.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/column_call.hpp>
#include <fade/device/devices.hpp>
#include <fade/device/row_call.hpp>
#include <fade/device/top_k_columns_call.hpp>
#include <fade/kernel/rows/problem.hpp>
#include <fade/kernel/rows/reduce.hpp>
#include <fade/kernel/rows/refuse.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

namespace detail {

template <kernel::reduction Kind, class In, class Out, class Device>
report reduce(Device& device, const reduce_problem& p, const In* x, Out* out, int* places,
              const operation_options& options) {
    kernel::check_row_types<In, Out>();
    const kernel::row_size size{p.rows, p.columns};
    const index results = p.direction == along::rows ? p.rows : p.columns;
    if (!out && !places) kernel::require_list(nullptr, "out", results, "it is the result");
    const index folded = p.direction == along::rows ? p.columns : p.rows;
    if (Kind == kernel::reduction::max || Kind == kernel::reduction::argmax)
        require(folded > 0 || results == 0, p.direction == along::rows ? "columns" : "rows", folded,
                "of no elements none is the largest");
    if (p.direction == along::rows) {
        const kernel::reduce_rows<In, Out, Kind> op{{x, p.x_stride}, out, places};
        return run_rows(device, kernel::name(Kind), size, op, options);
    }
    const float factor = Kind == kernel::reduction::mean && p.rows > 0 ? 1 / float(p.rows) : 1.0f;
    using operation = kernel::reduce_columns<In, Out, Kind>;
    column_operation<operation, Device> columns(device, kernel::name(Kind), size,
                                                operation{{x, p.x_stride}, out, places, factor});
    return run_operation(device, columns, options);
}

}  // namespace detail

/// out[row or column] = the sum of its elements, in f32 and in a fixed order.
/// In, Out: f32, f16, bf16. Work is queued on the device's stream; host and emulated devices are done on
/// return. Throws fade::error with nothing written for sizes, strides or pointers that cannot be.
template <class In, class Out, class Device>
report sum(Device& device, const reduce_problem& p, const In* x, Out* out,
           const operation_options& options = {}) {
    return detail::reduce<kernel::reduction::sum>(device, p, x, out, nullptr, options);
}

/// out[row or column] = the mean of its elements; otherwise as sum().
template <class In, class Out, class Device>
report mean(Device& device, const reduce_problem& p, const In* x, Out* out,
            const operation_options& options = {}) {
    return detail::reduce<kernel::reduction::mean>(device, p, x, out, nullptr, options);
}

/// out[row or column] = the largest element, places[...] where it stands first. A NaN is larger than all
/// numbers. Either result may be left out.
template <class In, class Out, class Device>
report max(Device& device, const reduce_problem& p, const In* x, Out* out, int* places = nullptr,
           const operation_options& options = {}) {
    return detail::reduce<kernel::reduction::max>(device, p, x, out, places, options);
}

/// places[row or column] = where the largest element stands first; otherwise as max().
template <class In, class Device>
report argmax(Device& device, const reduce_problem& p, const In* x, int* places,
              const operation_options& options = {}) {
    return detail::reduce<kernel::reduction::argmax>(device, p, x, static_cast<float*>(nullptr), places,
                                                     options);
}

/// values[row, i] and places[row, i]: the i-th largest element of each row, i from 0 to k - 1; along columns
/// values[i, column] and places[i, column]. Of equal elements the first comes first, and NaN before all
/// numbers. Either result may be left out.
template <class In, class Out, class Device>
report top_k(Device& device, const top_k_problem& p, const In* x, Out* values, int* places,
             const operation_options& options = {}) {
    kernel::check_row_types<In, Out>();
    const bool by_rows = p.direction == along::rows;
    const index results = by_rows ? p.rows : p.columns, searched = by_rows ? p.columns : p.rows;
    kernel::check_row_size({p.rows, p.columns});
    require(p.k >= 1 && p.k <= 64, "k", p.k, "it must be between 1 and 64");
    if (results > 0 && p.k > searched)
        throw error("k", std::to_string(p.k),
                    words("a ", by_rows ? "row" : "column", " has ", searched, " elements"));
    if (!values && !places) kernel::require_list(nullptr, "values", results, "it is the result");
    if (by_rows) {
        const kernel::top_k_rows<In, Out> op{{x, p.x_stride}, values, places, p.k};
        return run_rows(device, "top_k", {p.rows, p.columns}, op, options);
    }
    kernel::top_k_columns_arguments<In, Out> args{};
    args.x = {x, p.x_stride}, args.values = values, args.places = places, args.k = p.k;
    top_k_columns_operation<In, Out, Device> columns(device, {p.rows, p.columns}, args);
    return run_operation(device, columns, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>
