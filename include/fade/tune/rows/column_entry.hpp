// A column operator as something a device can launch: the shares of the rows, and what they found.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/rows/columns.hpp>
#include <fade/tune/rows/select.hpp>

namespace FADE_NAMESPACE::tune {

/// Strips of a wave's width, whose rows the waves of a workgroup take in turn: what few workgroups find is
/// soon added up. Values of `value_bytes` beyond one register leave fewer waves their registers.
/// Runs that begin anywhere are joined on NVIDIA GPUs (block/row/memory.hpp); elsewhere a lane has one
/// column.
constexpr row_policy column_policy_of(int wave_size, int bytes, int value_bytes, bool whole_runs,
                                      bool joins) {
    if (wave_size == 1) return {.waves = 1, .run = 256, .runs = 1, .resident = false, .whole_runs = false};
    const bool narrow = value_bytes <= 4;
    return {.waves = (narrow ? 512 : 256) / wave_size,
            .run = whole_runs || joins ? 16 / bytes : 1,
            .runs = 1,
            .resident = false,
            .whole_runs = whole_runs,
            .waves_per_simd = wave_size == 64 ? (narrow ? 4 : 3)
                              : narrow        ? 8
                                              : 6};
}
/// The policy that an architecture has for an operator over columns.
template <class Arch, class Operator>
constexpr row_policy column_policy(bool whole_runs) {
    return with_registers(column_policy_of(Arch::traits.wave_size, Operator::element_bytes,
                                           sizeof(typename Operator::value), whole_runs,
                                           Arch::traits.family == arch::family::nvidia),
                          Arch::traits);
}
/// Workgroups of that policy that a compute unit holds.
constexpr int column_groups_of_unit(const row_policy& p) { return max_of(p.waves_per_simd * 4 / p.waves, 1); }

template <class Operator, bool WholeRuns>
struct column_entry {
    using arguments = kernel::column_arguments<Operator>;
    template <class Arch>
    static constexpr row_policy policy = column_policy<Arch, Operator>(WholeRuns);
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = policy<Arch>.waves,
                .shared_bytes = block::strip_shared_bytes(policy<Arch>, Arch::traits.wave_size,
                                                          sizeof(typename Operator::value)),
                .waves_per_simd = policy<Arch>.waves_per_simd};
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
