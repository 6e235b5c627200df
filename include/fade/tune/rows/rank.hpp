// The static model's opinion of the kernels of a row operator, without the machine.
#pragma once
#include <fade/tune/ranked.hpp>
#include <fade/tune/rows/tuned.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// A policy of a row operator.
using ranked_rows = ranked<tuned_rows>;

namespace detail {

/// Bytes that the memory of the busiest compute unit moves while a kernel takes its rows: a compute unit has
/// what its waves asked for under way, and a memory that answers late moves less than it could (J. Little, A
/// Proof for the Queuing Formula L = lambda W, 1961). Rows beyond registers are read again by each pass.
/// An estimate: no machine code was read.
inline double estimated_cost(const row_policy& p, index rows, index columns, int operands, int bytes,
                             const arch::arch_traits& t, int compute_units) {
    constexpr double late = 16384;  // bytes that move between a request and its answer
    constexpr int passes = 2;
    const index workgroups = ceil_div<index>(ceil_div<index>(rows, p.rows_at_once()), compute_units),
                room = max_of<index>(p.waves_per_simd * t.simds_per_cu / p.waves, 1),
                held = min_of<index>(p.columns(t.wave_size), columns),
                steps = p.resident ? 1 : passes * ceil_div<index>(columns, held);
    const double moved = double(min_of(workgroups, room)) * double(p.rows_at_once()) * double(held) *
                         operands * bytes,
                 exchanged = p.shared_row ? late / 8 : 0;  // waves wait for each other
    return double(ceil_div<index>(workgroups, room)) * (double(steps) * max_of(late, moved) + exchanged);
}

}  // namespace detail

/// The kernels that so many aligned rows can get on an architecture, the one that the model thinks fastest
/// first. Sizes are all above 0. Figures are estimates, as `evidence` says.
template <class Arch, class Operator>
std::vector<ranked_rows> rank_rows(index rows, index columns, int compute_units) {
    constexpr bool whole_runs = true;
    const row_kind first = choose_row_kind<Operator>(columns, whole_runs, Arch::traits);
    std::vector<ranked_rows> out;
    for (int k = int(first); k <= int(row_kind::streamed); ++k) {
        const tuned_rows choice{row_policy_for<Operator>(row_kind(k), whole_runs, Arch::traits)};
        if (detail::has(out, choice)) continue;
        const std::string why = k == int(first) ? "; the selector takes it" : "";
        out.push_back({choice,
                       detail::estimated_cost(choice.policy, rows, columns, Operator::operands,
                                              Operator::element_bytes, Arch::traits, compute_units),
                       std::string("estimate of bytes under way by ") + name(row_kind(k)) +
                           ": nobody read or timed it" + why});
    }
    return detail::in_order(out);
}

}  // namespace FADE_NAMESPACE::tune
