// Rotary embedding: heads whose pairs of elements turn by the positions of their tokens, on every machine.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/rotary_call.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

/// y(a) = x(a) cos - x(b) sin, y(b) = x(b) cos + x(a) sin for the pairs (a, b) of every head: i and
/// i + rotary_dim / 2, or 2 i and 2 i + 1. cos and sin are those of the token's position and of the pair.
/// In, Out, Table: f32, f16, bf16; computed in f32, rounded once. Work is queued on the device's stream; host
/// and emulated devices are done on return. A token whose position lies outside the tables is not written.
/// Throws fade::error with nothing written for sizes, strides, pointers or overlaps that cannot be.
template <class In, class Out = In, class Table = float, class Device>
report rotary(Device& device, const rotary_problem& p, const rotary_operands<In, Out, Table>& o,
              const operation_options& options = {}) {
    kernel::check_row_types<In, Out, Table>();
    rotary_operation<In, Out, Table, Device> operation(device, p, o, 1);
    return run_operation(device, operation, options);
}

/// The gradient of x from that of y: the same rotation by the negative angle. x of its operands is dy, y is
/// dx.
template <class In, class Out = In, class Table = float, class Device>
report rotary_gradient(Device& device, const rotary_problem& p, const rotary_operands<In, Out, Table>& o,
                       const operation_options& options = {}) {
    kernel::check_row_types<In, Out, Table>();
    rotary_operation<In, Out, Table, Device> operation(device, p, o, -1);
    return run_operation(device, operation, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>
