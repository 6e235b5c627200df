// Policies for this CPU, and how D is cut into even shares for its threads.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace FADE_NAMESPACE::tune {

/// A strip of 48 rows of A and 512 KiB of B (f32) fit second-level caches of 1 MiB.
inline constexpr gemm_policy host_tiles{.block_tile = {48, 256, 512},
                                        .wave_tile = {48, 256},
                                        .pipeline = block::pipeline_kind::direct,
                                        .swizzle_rows = 1};

template <class In>
struct gemm_rows<arch::host, In> {
    static constexpr gemm_row row{.large = host_tiles, .small = host_tiles};
};

/// A share of D, and what it costs in multiplications: packing an element of B costs as much as 24 rows,
/// passing A by as much as a few columns, beginning a share as much as 2^16.
struct host_share {
    index rows, columns;
    index cost(index k, bool copies_a) const {
        return ((rows + 24) * columns + (copies_a ? 16 : 2) * rows) * k + (1 << 16);
    }
};

/// What all shares cost one thread: as many rounds of them as it takes, a part of one for threads that come
/// late, and waking others at all.
inline index host_cost(const gemm_problem& p, const host_share& s, int threads, bool copies_a) {
    constexpr index wake = 1 << 20;
    const index shares = ceil_div(p.m, s.rows) * ceil_div(p.n, s.columns) * p.batch,
                one = s.cost(p.k, copies_a);
    return ceil_div<index>(shares, threads) * one + (threads > 1 && shares > 1 ? one / 4 + wake : 0);
}

/// Which products of few rows skip panels: those of gemm and batched_gemm. Other operations read their
/// operands otherwise.
enum class few_rows { by_panels, as_dots };

/// The widest share whose part of B is still packed, or read, as a block.
template <class Traits, class In>
index widest_share(const gemm_problem& p, few_rows how) {
    const bool by_k = b_transposed(p.layout);
    if (how == few_rows::as_dots && p.m <= p.n &&
        kernel::skinny_order_of<typename Traits::element, In>(p.m, p.n, p.k, by_k ? 0 : 1, by_k ? 1 : 0,
                                                              kernel::has_packs<typename Traits::atom>()) !=
            kernel::skinny_order::none)
        return Traits::max_columns;
    if (p.m > Traits::strip)
        return p.k <= 2 * host_tiles.block_tile.k ? host_tiles.block_tile.n / 2 : host_tiles.block_tile.n;
    return Traits::block_elements / (by_k ? Traits::max_depth : Traits::shallow);
}

/// How much of D each workgroup makes: columns are cut first, because rows share packed columns; then
/// whatever keeps the threads evenly busy.
template <class In>
gemm_policy host_policy(gemm_problem p, int threads, few_rows how = few_rows::by_panels) {
    using traits = kernel::gemm_traits<arch::host, In, host_tiles>;
    p.m = max_of<index>(p.m, 1), p.n = max_of<index>(p.n, 1);
    const index rows = ceil_div<index>(p.m, traits::max_rows),
                columns = ceil_div(p.n, widest_share<traits, In>(p, how));
    const bool copies_a = a_transposed(p.layout) || !std::is_same_v<In, typename traits::element>;
    gemm_policy out = host_tiles;
    index best = 0;
    for (index i = rows; i < rows + threads; ++i)
        for (index j = columns; j < columns + 4 * threads; ++j) {
            const host_share share{block::share_of<index>(p.m, i, traits::atom::m),
                                   block::share_of<index>(p.n, j, traits::panel)};
            const index cost = host_cost(p, share, threads, copies_a);
            if (best && cost >= best) continue;
            best = cost;
            out.block_tile.m = int(share.rows), out.block_tile.n = int(share.columns);
        }
    return out;
}

}  // namespace FADE_NAMESPACE::tune
