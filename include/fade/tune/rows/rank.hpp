// The static model's opinion of the kernels of a row operator, without the machine.
#pragma once
#include <fade/tune/ranked.hpp>
#include <fade/tune/rows/tuned.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// A policy of a row operator.
using ranked_rows = ranked<tuned_rows>;

/// The kernels that aligned rows of so many columns can get on an architecture: the selector's first, whose
/// registers are the fewest that hold a row, then those with more, and the streamed one last. None has a
/// figure: they move the same bytes, and which lanes wait least nobody read from machine code.
template <class Arch, class Operator>
std::vector<ranked_rows> rank_rows(index columns) {
    constexpr bool whole_runs = true;
    const row_kind first = choose_row_kind<Operator>(columns, whole_runs, Arch::traits);
    std::vector<ranked_rows> out;
    for (int k = int(first); k <= int(row_kind::streamed); ++k) {
        const tuned_rows choice{row_policy_for<Operator>(row_kind(k), whole_runs, Arch::traits)};
        if (detail::has(out, choice)) continue;
        const std::string why = k == int(first) ? "; the selector takes it" : "";
        out.push_back({choice, detail::no_figure,
                       std::string("none: the model has no figure of ") + name(row_kind(k)) + why});
    }
    return detail::in_order(std::move(out));
}

}  // namespace FADE_NAMESPACE::tune
