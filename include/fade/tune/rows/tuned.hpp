// What tuning knows of a row operator: the policy that is kept, and whether a program has its kernel.
#pragma once
#include <fade/tune/policy_json.hpp>
#include <fade/tune/rows/select.hpp>
#include <fade/tune/tuned.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What a row of a row operator holds.
struct tuned_rows {
    row_policy policy{};  ///< the fastest
    /// Are all fields equal?
    constexpr bool operator==(const tuned_rows&) const = default;
};

/// Calls f(name, value) for each field.
template <class F>
constexpr void each_field(const tuned_rows& tuned, const F& f) {
    each_field(tuned.policy, f);
}

namespace tune {

/// The kernel of a tuned row, or why there is none.
struct rows_fit {
    row_kind kind = row_kind::streamed;
    std::string obstacle = "this program holds no kernel of its policy";  ///< empty where it can be used
};

/// A GPU's program holds one kernel a kind: those whose registers hold a row, and the streamed one.
template <class Operator>
rows_fit fit_rows(index columns, bool whole_runs, const row_policy& policy, const arch::arch_traits& t) {
    rows_fit out;
    const row_kind first = choose_row_kind<Operator>(columns, whole_runs, t);
    for (int k = 0; k <= int(row_kind::streamed); ++k) {
        if (policy != row_policy_for<Operator>(row_kind(k), whole_runs, t)) continue;
        out.kind = row_kind(k);
        out.obstacle = k < int(first) ? "registers of its policy do not hold such a row" : "";
        if (out.obstacle.empty()) break;
    }
    return out;
}

}  // namespace tune
}  // namespace FADE_NAMESPACE
