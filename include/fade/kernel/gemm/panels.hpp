// The matrix multiplication of the host: panels go straight from memory to the micro-kernel of its vector unit.
#pragma once
#include <cstring>
#include <fade/kernel/gemm/body.hpp>

namespace fade::kernel {

/// The host's accumulators are one row-major tile, so that its loops run along rows of D.
template <class Traits, class Value, class Args>
void store_rows(const Value* acc, const Args& args, const output_tile& tile) {
    const int rows = int(least<index>(args.m - tile.row, Traits::tile.m)), columns = int(least<index>(args.n - tile.column, Traits::tile.n));
    for (int r = 0; r < rows; ++r) {
        const Value* from = acc + r * Traits::tile.n;
        if (args.splits > 1) {
            std::memcpy(args.partial + (tile.layer * args.m + tile.row + r) * args.n + tile.column, from, columns * sizeof(Value));
            continue;
        }
        auto* to = args.d + tile.batch * args.stride_d + (tile.row + r) * args.ldd + tile.column;
        for (int c = 0; c < columns; ++c) to[c] = finished(args, from[c], epilogue::position{tile.row + r, tile.column + c, tile.batch, true});
    }
}

/// The host: panels go straight from memory to the micro-kernel.
template <gemm_policy Policy, class Block, class Args>
void gemm_panels(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    const output_tile at = place_in_output<Policy>(block, args);
    block::panel_packer<Block, in, typename traits::layout_a> a(block, operand_a<traits>(args, at));
    block::panel_packer<Block, in, typename traits::layout_b> b(block, operand_b<traits>(args, at));
    auto* acc = reinterpret_cast<typename traits::atom::accumulator*>(block.shared + traits::stage_bytes);
    std::memset(acc, 0, traits::accumulator_bytes);
    const auto tiles = traits::tiles(0);
    const int rows = int(least<index>(args.m - at.row, traits::tile.m)), columns = int(least<index>(args.n - at.column, traits::tile.n));
    for (index k = 0; k < at.k_count; k += traits::tile.k) {
        const int depth = int(least<index>(at.k_count - k, traits::tile.k));
        a.pack(block, tiles.a, depth);
        b.pack(block, tiles.b, depth);
        traits::atom::multiply(acc, block.shared + tiles.a.base, block.shared + tiles.b.base,
                               {rows, columns, depth, traits::tile.n, traits::tile.k});
        a.advance(depth);
        b.advance(depth);
    }
    store_rows<traits>(acc, args, at);
}

}  // namespace fade::kernel
