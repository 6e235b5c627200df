// The gradients of a norm: of its input by rows, of its weights and biases by columns.
#pragma once
#include <fade/device/column_call.hpp>
#include <fade/device/row_call.hpp>
#include <fade/kernel/rows/problem.hpp>

namespace FADE_NAMESPACE {

/// Two operations, each with its launches; the report is that of the rows, or of the columns alone.
template <class Device, class Operands, class Operator>
report run_norm_gradient(Device& device, const char* name, const norm_gradient_problem& p, const Operands& o,
                         const Operator& op, const operation_options& options) {
    using in = std::remove_cvref_t<decltype(*o.h)>;
    using gradient = std::remove_cvref_t<decltype(*o.dy)>;
    using weight = std::remove_cvref_t<decltype(*o.weight)>;
    const kernel::row_size size{p.rows, p.columns};
    const kernel::norm_weight_gradient<in, gradient, weight> sums{.h = {o.h, p.h_stride},
                                                                  .dy = {o.dy, p.dy_stride},
                                                                  .mean = o.mean,
                                                                  .inverse_root = o.inverse_root,
                                                                  .dweight = o.dweight,
                                                                  .dbias = o.dbias};
    column_operation<kernel::norm_weight_gradient<in, gradient, weight>, Device> columns(
        device, std::string(name) + " of weights", size, sums);
    // Weights first: dx may lie where dy does.
    report said = columns.said();
    if (o.dweight || o.dbias) said = run_operation(device, columns, options);
    if (!o.dx) return said;
    row_operation<Operator, Device> rows(device, name, size, op);
    report out = run_operation(device, rows, options);
    if (o.dweight || o.dbias) out.chosen += " and " + said.chosen;
    out.fallback = out.fallback || said.fallback;
    return out;
}

}  // namespace FADE_NAMESPACE
