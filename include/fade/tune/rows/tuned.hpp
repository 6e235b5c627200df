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

/// What of a policy could be compiled: registers, and where the next row comes to shared memory that as well,
/// must hold a row.
template <class Operator>
rows_fit fit_compiled_rows(index columns, bool whole_runs, const row_policy& p, const arch::arch_traits& t) {
    rows_fit out{.kind = p.resident ? row_kind::wide : row_kind::streamed, .obstacle = ""};
    const index needed = columns + (whole_runs ? 0 : 16 / Operator::element_bytes - 1);
    const int lanes = p.waves * t.wave_size;
    if (p.waves < 1 || lanes > 1024 || p.run * Operator::element_bytes != 16 || p.runs < 1 || p.runs > 32 ||
        p.waves_per_simd < 1 || p.staged < 0 || p.staged > t.lds_per_workgroup / 2 || p.ahead < 0 ||
        p.ahead > Operator::operands || p.rows_of_wave < 1 || t.wave_size % p.rows_of_wave != 0 ||
        p.whole_runs != whole_runs)
        out.obstacle = "it is no policy of a kernel";
    else if ((p.ahead > 0 && (!p.shared_row || !whole_runs || !p.resident)) ||
             (p.rows_of_wave > 1 && (p.shared_row || !p.resident)) || (!p.resident && !p.shared_row) ||
             (p.staged > 0 && (p.resident || !p.shared_row)) ||
             ((p.ahead > 0 || p.staged > 0 || p.rows_of_wave > 1) && t.family != arch::family::nvidia))
        out.obstacle = "no kernel takes rows so";
    else if (p.resident && p.columns(t.wave_size) < needed)
        out.obstacle = "registers of its policy do not hold such a row";
    return out;
}

}  // namespace tune
}  // namespace FADE_NAMESPACE
