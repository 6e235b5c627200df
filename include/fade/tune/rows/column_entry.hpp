// A column operator as something a device can launch: the shares of the rows, and what they found.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/rows/columns.hpp>

namespace FADE_NAMESPACE::tune {

/// Strips of a wave's width, whose rows 512 lanes take in turn: what few workgroups find is soon added up.
constexpr row_policy column_policy_of(int wave_size, int bytes, bool whole_runs) {
    if (wave_size == 1) return {.waves = 1, .run = 256, .runs = 1, .resident = false, .whole_runs = false};
    return {.waves = 512 / wave_size,
            .run = whole_runs ? 16 / bytes : 1,
            .runs = 1,
            .resident = false,
            .whole_runs = whole_runs};
}

template <class Operator, bool WholeRuns>
struct column_entry {
    using arguments = kernel::column_arguments<Operator>;
    template <class Arch>
    static constexpr row_policy policy =
        column_policy_of(Arch::traits.wave_size, Operator::element_bytes, WholeRuns);
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = policy<Arch>.waves,
                .shared_bytes = block::strip_shared_bytes(policy<Arch>, Arch::traits.wave_size,
                                                          sizeof(typename Operator::value)),
                .waves_per_simd = Arch::traits.wave_size == 64 ? 4 : 8};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        constexpr row_policy p = policy<typename Block::arch>;
        if constexpr (Block::wave_size == 1)
            atom::with_vectors<kernel::columns_leaf<p>>(&block, &args);
        else
            kernel::columns_body<p>(block, args);
    }
};

/// The workgroups that add up what others have found of so many columns.
inline grid_shape finish_columns_grid(index columns, bool on_cpu) {
    return {int(ceil_div<index>(columns, block::columns_of_parts(on_cpu ? 1 : 256))), 1, 1};
}

template <class Operator>
struct finish_columns_entry {
    using arguments = kernel::column_arguments<Operator>;
    template <class Arch>
    static constexpr launch_shape shape() {
        constexpr int waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size;
        return {.waves = waves,
                .shared_bytes = waves * Arch::traits.wave_size * int(sizeof(typename Operator::value))};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::finish_columns_body(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
