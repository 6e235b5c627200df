// The frame of an operation: one list of launches, which running and planning read.
#pragma once
#include <fade/core/report.hpp>
#include <fade/core/shape.hpp>
#include <fade/device/planned_launch.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// What an operation would launch, decided but not run.
struct operation_plan {
    fade::report report;
    std::vector<planned_launch> launches;
    std::size_t workspace_bytes = 0;
};

/// Options of every operation.
struct operation_options {
    void* workspace = nullptr;  ///< device memory of the caller's; null: the device's own
    std::size_t workspace_bytes = 0;
    bool strict = false;             ///< what the report would call a fallback is an error
    operation_plan* plan = nullptr;  ///< where given, nothing runs: what would is added to its launches
};

/// Adds what an operation would launch to the plan that its options name. Pointers are those that were given,
/// or null for memory that the device would find.
template <class Operation, class Device>
void add_to_plan(Device& device, Operation& operation, const operation_options& options) {
    operation_plan& to = *options.plan;
    to.report = operation.said();
    to.workspace_bytes = most(to.workspace_bytes, operation.workspace_bytes());
    operation.place(options.workspace);
    operation.each_launch([&](auto entry, grid_shape grid, const auto& args) {
        to.launches.push_back(plan_launch<decltype(entry)>(device, grid, args));
    });
}

/// An operation has said(), the report; workspace_bytes(); place(memory), which is given that much; and
/// each_launch(f), which calls f(Entry{}, grid, arguments) for every launch in order. All was checked before.
template <class Operation, class Device>
report run_operation(Device& device, Operation& operation, const operation_options& options) {
    const report said = operation.said();
    if (options.strict && said.fallback) throw error("strict", "set", said.why);
    if (options.plan) {
        add_to_plan(device, operation, options);
        return said;
    }
    if constexpr (requires { device.workspace(std::size_t(0)); }) {
        if (const std::size_t bytes = operation.workspace_bytes())
            operation.place(workspace_of(device, options, bytes, "what workgroups find needs"));
        operation.each_launch([&](auto entry, grid_shape grid, const auto& args) {
            device.template launch<decltype(entry)>(grid, args);
        });
        return said;
    }
    throw error("plan", "null", device.name() + " is not here, so its launches can only be planned");
}

template <class Operation, class Device>
operation_plan plan_operation(Device& device, Operation& operation, operation_options options) {
    operation_plan out;
    options.plan = &out;
    add_to_plan(device, operation, options);
    return out;
}

}  // namespace FADE_NAMESPACE
