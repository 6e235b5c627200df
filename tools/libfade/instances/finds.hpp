// Finds of the operations that have tuned policies, in objects for this CPU that are compiled with
// FADE_C_TUNE.
#pragma once
#include "device.hpp"
#if defined(FADE_C_TUNE)
#include <fade/tune.hpp>
#endif

namespace fade::c {

/// Finds are timed in the types that models have.
template <class In, class Out>
constexpr bool is_tuned_here() {
#if defined(FADE_C_TUNE)
    return std::is_same_v<In, Out> &&
           (std::is_same_v<In, float> || std::is_same_v<In, f16> || std::is_same_v<In, bf16>);
#else
    return false;
#endif
}

/// Notes that calls of an operation can be finds.
template <operation Op, class In, class Out>
struct add_find {
    add_find() { backend_of(kind_name<device>()).finds[int(Op)][int(dtype_v<In>)][int(dtype_v<Out>)] = true; }
};

#if defined(FADE_C_TUNE)
inline tuning_database& database_of(const manner& how) {
    return static_cast<tuning_database&>(*how.finds->tuning->policies);
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
#endif

}  // namespace fade::c
