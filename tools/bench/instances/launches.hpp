// The library's plans as the program's.
#pragma once
#include "../runner.hpp"
#include <algorithm>
#include <dlfcn.h>
#include <fade/block/pipeline.hpp>
#include <fade/device/planned_launch.hpp>

namespace fade::bench {

/// The name of a kernel as the linker knows it; kernels of this CPU have none, and are known by their short
/// name.
inline launch launch_of(const planned_launch& from, const std::string& kernel) {
    launch out{.symbol = kernel,
               .exact = false,
               .dynamic_lds = from.dynamic_lds,
               .cluster = from.cluster,
               .kernarg = from.kernarg};
    std::copy(from.grid, from.grid + 3, out.grid);
    std::copy(from.block, from.block + 3, out.block);
    Dl_info found{};
    if (from.entry && dladdr(from.entry, &found) && found.dli_sname)
        out.symbol = found.dli_sname, out.exact = true;
    return out;
}

inline policy_field field_of(const char* name, std::int64_t value) { return {name, "", {value}}; }
template <class Choice>
    requires std::is_enum_v<Choice>
policy_field field_of(const char* name_of_field, Choice value) {
    return {name_of_field, name(value), {}};
}
/// The depth of a tile, where it has one.
inline policy_field field_of(const char* name, const tile_shape& value) {
    policy_field out{name, "", {value.m, value.n}};
    if (value.k) out.numbers.push_back(value.k);
    return out;
}

/// All fields of a policy, by its own list of them.
template <class Policy>
std::vector<policy_field> fields_of(const Policy& policy) {
    std::vector<policy_field> out;
    each_field(policy, [&](const char* name, const auto& value) { out.push_back(field_of(name, value)); });
    return out;
}

/// `fields`: the policy of the plan.
template <class Plan>
kernel_choice choice_of(const Plan& plan, std::vector<policy_field> fields) {
    kernel_choice out{.report = plan.report,
                      .kernel = plan.report.chosen.substr(0, plan.report.chosen.find(' ')),
                      .policy = std::move(fields)};
    for (const planned_launch& l : plan.launches)
        if (l.grid[0] > 0 && l.grid[1] > 0 && l.grid[2] > 0) out.launches.push_back(launch_of(l, out.kernel));
    out.workspace_bytes = std::int64_t(plan.workspace_bytes);
    return out;
}

}  // namespace fade::bench
