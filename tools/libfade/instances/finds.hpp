// Finds of the operations that have tuned policies, in objects for this CPU and GPUs that are compiled with
// FADE_C_TUNE. Those of row operators are compiled for GPUs alone, since this CPU has one kernel of each.
#pragma once
#include "device.hpp"
#if defined(FADE_C_TUNE)
#include <fade/device/tune/background.hpp>
#include <fade/tune.hpp>
#endif

namespace fade::c {

/// Finds are timed in the types that models have, on devices that have a speed.
template <class In, class Out>
constexpr bool is_tuned_here() {
#if defined(FADE_C_TUNE)
    return detail::has_speed<device> && std::is_same_v<In, Out> &&
           (std::is_same_v<In, float> || std::is_same_v<In, f16> || std::is_same_v<In, bf16>);
#else
    return false;
#endif
}

/// A background times this CPU.
template <class In, class Out>
constexpr bool is_given_here() {
    return std::is_same_v<device, host_device> && is_tuned_here<In, Out>();
}

/// Notes that calls of an operation can be finds, where they can. Of a device, since objects for several make
/// one library.
template <operation Op, class In, class Out, class Device = device>
void add_find() {
    if constexpr (is_tuned_here<In, Out>())
        own_backend<Device>().finds[int(Op)][int(dtype_v<In>)][int(dtype_v<Out>)] = true;
}

#if defined(FADE_C_TUNE)
inline tuning_database& database_of(const manner& how) {
    return static_cast<tuning_database&>(*how.finds->tuning->policies);
}

/// Notes that a background can be given calls of an operation: give(background, arguments, threads).
template <operation Op, class In, class Arguments, bool (*Give)(tune::background&, const Arguments&, int)>
void add_background() {
    backend_of("host").backgrounds[int(Op)][int(dtype_v<In>)] = [](tuned_policies& on, const void* arguments,
                                                                   int threads) {
        return Give(static_cast<tune::background&>(on), *static_cast<const Arguments*>(arguments), threads);
    };
}

/// What a find did, in C's words.
inline outcome outcome_of(const found_policy& f) {
    outcome out;
    out.found = std::make_unique<fade_found>();
    const tune::tuning_row& row = f.search.row;
    *out.found = {.source = f.source == find_source::hit     ? FADE_FOUND_HIT
                            : f.source == find_source::tuned ? FADE_FOUND_TUNED
                                                             : FADE_FOUND_MODEL,
                  .why = f.why,
                  .kind = row.problem.kind,
                  .policy = row.policy,
                  .evidence = row.evidence,
                  .arch = row.machine.arch,
                  .traits = row.machine.traits,
                  .kept = f.search.kept,
                  .whole = f.search.whole,
                  .candidates = f.search.candidates,
                  .nanoseconds = row.nanoseconds,
                  .model_nanoseconds = f.search.model_nanoseconds,
                  .noise = row.noise};
    return out;
}

/// Times the row of a problem again, where the database has one.
inline outcome verified(const detail::problem_to_find& problem, tuning_database& database) {
    found_policy out;
    problem.source.policy.clear();
    const report said = problem.said();
    tune::tuning_row& row = out.search.row;
    row.problem = problem.source.asked_problem, row.machine = problem.source.asked_machine;
    const auto kept = row.machine.arch.empty() ? std::nullopt : database.row_of(row.problem, row.machine);
    if (!kept) {
        out.why = row.machine.arch.empty() ? said.why : "there is no row to verify";
        return outcome_of(out);
    }
    row = kept->row;
    const verification now = problem.verify(row);
    out.why = now.obstacle.empty() ? now.wins() ? "the row wins" : "the model's choice is faster now"
                                   : now.obstacle;
    if (now.obstacle.empty()) out.source = find_source::hit;
    outcome made = outcome_of(out);
    made.found->nanoseconds = now.nanoseconds, made.found->model_nanoseconds = now.model_nanoseconds;
    made.found->drift = now.drift, made.found->of_model = now.of_model;
    return made;
}

/// A call as one of the classes `..._to_tune` describes it: finds its policy, or verifies its row.
template <class Problem>
outcome found_of(device& on, Problem& problem, const manner& how) {
    const detail::problem_to_find found = detail::to_find(on, problem, database_of(how));
    if (how.finds->verifies) return verified(found, database_of(how));
    detail::check_budget(how.finds->options.budget);
    return outcome_of(detail::find(found, database_of(how), how.finds->options));
}
/// The same of a row operator.
template <class Operator>
outcome found_of_rows(device& on, operation op, const kernel::row_size& size, const Operator& rows,
                      const manner& how) {
    detail::rows_to_tune<Operator, device> problem(on, name(op), size, rows);
    return found_of(on, problem, how);
}
#endif

}  // namespace fade::c
