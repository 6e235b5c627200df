// The frame of an operation: one list of launches, which running, planning, capturing and sizing its
// workspace read.
#pragma once
#include <concepts>
#include <fade/core/report.hpp>
#include <fade/core/shape.hpp>
#include <fade/device/plan/run_time_entry.hpp>
#include <fade/device/planned_launch.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// What an operation would launch, decided but not run.
struct operation_plan {
    fade::report report;                   ///< what a run would return
    std::vector<planned_launch> launches;  ///< in order
    std::size_t workspace_bytes = 0;       ///< that the launches need beside their operands
};

/// Options of every operation.
struct operation_options {
    void* workspace = nullptr;        ///< device memory of the caller's; null: the device's own
    std::size_t workspace_bytes = 0;  ///< of that memory
    bool strict = false;              ///< what the report would call a fallback is an error
    operation_plan* plan = nullptr;   ///< where given, nothing runs: what would is added to its launches
};

/// What the options of an operation have of those.
template <class Options>
operation_options common_options(const Options& options) {
    operation_options out{.workspace = options.workspace, .workspace_bytes = options.workspace_bytes};
    if constexpr (requires { options.strict; }) out.strict = options.strict;
    return out;
}

/// An operation that needs memory beside its operands: workspace_bytes(), of which 0 is possible;
/// place(memory), which is given that much, or null by a plan; and what_needs(), which begins the sentence of
/// a refusal ("copies of k and v need").
template <class Operation>
concept needs_workspace = requires(Operation& operation, void* memory) {
    { operation.workspace_bytes() } -> std::same_as<std::size_t>;
    { operation.what_needs() } -> std::convertible_to<std::string>;
    operation.place(memory);
};

/// An operation of a library that launches for itself.
template <class Operation, class Device>
concept launches_itself = requires(Operation& operation, Device& device) { operation.launch_itself(device); };

/// Refuses an operation that the frame would understand in part.
template <class Operation>
constexpr void check_operation() {
    constexpr bool speaks_of_memory = requires(Operation& o) { o.workspace_bytes(); } ||
                                      requires(Operation& o) { o.what_needs(); } ||
                                      requires(Operation& o, void* memory) { o.place(memory); };
    static_assert(
        needs_workspace<Operation> || !speaks_of_memory,
        "an operation that needs memory has workspace_bytes(), which gives std::size_t, what_needs() "
        "and place(void*); this one has some of them alone, so its memory would not be found");
}

/// A device that runs what it is given; of an architecture without a device launches are only planned.
template <class Device>
concept launching_device = requires(Device& device) {
    device.workspace(std::size_t(0));
    device.use();
};

/// Throws fade::error where a fallback was chosen and `strict` refuses it.
inline void check_strict(const report& said, bool strict) {
    if (strict && said.fallback) throw error("strict", "set", "this problem needs a fallback: " + said.why);
}

/// The launch of an entry, or of what entry_by made of one.
template <class Device, class Entry>
planned_launch plan_entry(Device& device, Entry, grid_shape grid, const typename Entry::arguments& args) {
    return plan_launch<Entry>(device, grid, args);
}
template <class Device, class Entry, class Policy>
planned_launch plan_entry(Device& device, run_time_entry<Entry, Policy> entry, grid_shape grid,
                          const typename Entry::arguments& args) {
    planned_launch out = plan_launch<Entry>(device, grid, args);
    if (entry.policy) device.template plan_by<Entry>(*entry.policy, grid, out);
    return out;
}

/// What a call does with each launch: it adds it to a plan, or, where there is none, makes it. One type for
/// both, so that a program holds the launches of an operation once. One that plans alone on a device that
/// could launch compiles its kernels, too; on the architecture of a GPU that is not here it does not.
template <class Device>
struct launch_or_plan {
    Device& device;        ///< of the call
    operation_plan* plan;  ///< null: launches

    /// Of one launch.
    template <class Entry>
    void operator()(Entry entry, grid_shape grid, const typename Entry::arguments& args) const {
        if (plan)
            plan->launches.push_back(plan_entry(device, entry, grid, args));
        else if constexpr (launching_device<Device>)
            launch_entry(device, entry, grid, args);
    }
};

/// Adds what an operation would launch to the plan that its options name. Pointers are those that were given,
/// or null for memory that the device would find.
template <class Operation, class Device>
void add_to_plan(Device& device, Operation& operation, const operation_options& options) {
    check_operation<Operation>();
    check_strict(operation.said(), options.strict);
    operation_plan& to = *options.plan;
    to.report = operation.said();
    if constexpr (needs_workspace<Operation>)
        if (const std::size_t bytes = operation.workspace_bytes()) {
            to.workspace_bytes = max_of(to.workspace_bytes, bytes);
            operation.place(options.workspace);
        }
    if constexpr (!launches_itself<Operation, Device>)
        operation.each_launch(launch_or_plan<Device>{device, &to});
}

/// Launches all of an operation, with its memory in place.
template <class Operation, launching_device Device>
void launch_operation(Device& device, Operation& operation, const operation_options& options) {
    const auto alone = device.use();
    if constexpr (needs_workspace<Operation>)
        if (const std::size_t bytes = operation.workspace_bytes())
            operation.place(workspace_of(device, options, bytes, operation.what_needs()));
    if constexpr (requires { operation.before_launches(device); }) operation.before_launches(device);
    if constexpr (launches_itself<Operation, Device>)
        operation.launch_itself(device);
    else
        operation.each_launch(launch_or_plan<Device>{device, nullptr});
}

/// An operation has said(), the report; each_launch(f), which calls f(Entry{}, grid, arguments) for every
/// launch in order, or launch_itself(device) of a library whose launches are its own; where it needs memory,
/// what needs_workspace asks for; and where something is to be done only if it runs, before_launches(device).
/// All was checked before.
template <class Operation, class Device>
report run_operation(Device& device, Operation& operation, const operation_options& options = {}) {
    check_operation<Operation>();
    if (options.plan) {
        add_to_plan(device, operation, options);
        return operation.said();
    }
    check_strict(operation.said(), options.strict);
    if constexpr (launching_device<Device>) {
        launch_operation(device, operation, options);
        return operation.said();
    }
    throw error("plan", "null", device.name() + " is not here, so its launches can only be planned");
}

/// What an operation would launch, decided but not run.
template <class Operation, class Device>
operation_plan plan_operation(Device& device, Operation& operation, operation_options options = {}) {
    operation_plan out;
    options.plan = &out;
    add_to_plan(device, operation, options);
    return out;
}

}  // namespace FADE_NAMESPACE
