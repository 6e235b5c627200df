// Policies for this CPU, and how D is cut into even shares for its threads.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace fade::tune {

/// A strip of 48 rows of A and 512 KiB of B (f32) fit second-level caches of 1 MiB.
inline constexpr gemm_policy host_tiles{.block_tile = {48, 256, 512}, .wave_tile = {48, 256}, .pipeline = block::pipeline_kind::direct, .group_rows = 1};

template <class In>
struct gemm_rows<arch::host, In> {
    static constexpr gemm_row row{.large = host_tiles, .small = host_tiles, .evidence = "measured, bench/results"};
};

/// What a share of D costs, in multiplications of one row: packing an element of B costs as much as `pack` rows.
struct host_cut {
    index rows, columns;
    static constexpr index pack = 24, start = 1 << 16;
    index cost(index k) const { return (rows + pack) * columns * k + start; }
};

/// The extent of a workgroup's share of D: columns are cut first, because rows share packed columns; then whatever keeps the threads evenly busy.
template <class In>
gemm_policy host_policy(gemm_problem p, int threads) {
    p.m = most<index>(p.m, 1), p.n = most<index>(p.n, 1);
    using traits = kernel::gemm_traits<arch::host, In, host_tiles>;
    gemm_policy out = host_tiles;
    const bool few = p.m <= traits::strip;
    const index most_columns = few ? (b_transposed(p.layout) ? traits::block_elements / traits::most_depth : traits::block_elements / traits::shallow)
                                   : p.k <= 2 * out.block_tile.k ? out.block_tile.n / 2 : out.block_tile.n;
    const index least_columns = ceil_div(p.n, most_columns), least_rows = ceil_div<index>(p.m, traits::most_rows);
    index best = 0;
    for (index i = least_rows; i < least_rows + threads; ++i)
        for (index j = least_columns; j < least_columns + threads; ++j) {
            const host_cut cut{kernel::share<index>(p.m, i, traits::atom::m), kernel::share<index>(p.n, j, traits::panel)};
            const index shares = ceil_div(p.m, cut.rows) * ceil_div(p.n, cut.columns) * p.batch;
            const index cost = ceil_div<index>(shares, threads) * cut.cost(p.k);
            if (best && cost >= best) continue;
            best = cost;
            out.block_tile.m = int(cut.rows), out.block_tile.n = int(cut.columns);
        }
    return out;
}

}  // namespace fade::tune
