// A row operator as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/rows/body.hpp>
#include <fade/tune/rows/select.hpp>

namespace FADE_NAMESPACE::tune {

/// The policy that each architecture has for a kind.
template <row_kind Kind, bool WholeRuns>
struct chosen_row_policy {
    template <class Arch, class Operator>
    static constexpr row_policy of = row_policy_for<Operator>(Kind, WholeRuns, Arch::traits);
};

/// A policy of one's own, for every architecture.
template <row_policy P>
struct own_row_policy {
    template <class Arch, class Operator>
    static constexpr row_policy of = P;
};

template <class Operator, class Policy>
struct row_entry {
    using arguments = kernel::row_arguments<Operator>;
    template <class Arch>
    static constexpr launch_shape shape() {
        constexpr row_policy p = Policy::template of<Arch, Operator>;
        return {.waves = p.waves,
                .shared_bytes = block::row_shared_bytes(p, Arch::traits.wave_size) +
                                (selects<Operator> ? block::candidate_bytes(p, Arch::traits.wave_size) : 0),
                .waves_per_simd = p.waves_per_simd};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        constexpr row_policy p = Policy::template of<typename Block::arch, Operator>;
        if constexpr (Block::wave_size == 1)
            atom::with_vectors<kernel::row_leaf<p>>(&block, &args);
        else
            kernel::row_body<p>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
