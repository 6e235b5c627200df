// A cache of keys and values on every machine: new tokens behind those that it holds, turned by their
// positions.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/append_call.hpp>
#include <fade/device/devices.hpp>
#include <fade/kernel/kv_cache/problem.hpp>

namespace FADE_NAMESPACE {

/// Writes the keys and values of new tokens behind what the cache of each sequence holds, turns keys and
/// queries by their positions, and says what ran. In: type of new_k, new_v and q; Cache: type of k, v and
/// q_out; Table: type of cos and sin, f32, f16 or bf16. Turns are f32, with one rounding to Cache; what does
/// not turn is copied. A token whose position lies outside [0, capacity), or on a page that does not exist,
/// is not written. The lengths are read and stay as they are: the caller adds to them. Work is queued on the
/// device's stream; host and emulated devices are done on return. Throws fade::error, with nothing written,
/// for sizes, strides, pointers or overlaps that cannot be.
template <class In, class Cache = In, class Table = float, class Device>
report append_kv(Device&& device, const append_problem& problem,
                 const append_operands<In, Cache, Table>& operands) {
    if constexpr (is_reachable<named_device_t<Device>>()) {
        append_operation<In, Cache, Table> operation(device, problem, operands);
        return run_operation(device, operation);
    }
}

/// What append_kv() would launch, without launching it.
template <class In, class Cache = In, class Table = float, class Device>
append_plan plan_append_kv(Device&& device, const append_problem& problem,
                           const append_operands<In, Cache, Table>& operands) {
    if constexpr (is_reachable<named_device_t<Device>>()) {
        append_operation<In, Cache, Table> operation(device, problem, operands);
        return plan_operation(device, operation);
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>
