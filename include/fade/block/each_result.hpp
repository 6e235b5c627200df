// The elements of accumulators that the waves of a grid hold, by their row and column in the workgroup's
// tile.
#pragma once
#include <fade/core/lane_coord.hpp>

namespace FADE_NAMESPACE::block {

/// Which elements follow each other: those of a row, which share its address, or those of an atom.
enum class result_order { rows, atoms };

/// Calls f(row, column, value) for every element. Grid says where a wave's tile begins.
template <class Grid, result_order Order = result_order::rows, class Block, class Acc, class F>
FADE_FN void each_result(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    constexpr bool rows = Order == result_order::rows;
    constexpr int middle = rows ? atom::d_size : Acc::columns, inner = rows ? Acc::columns : atom::d_size;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int m = 0; m < middle; ++m) FADE_UNROLL
        for (int n = 0; n < inner; ++n) {
            const int g = rows ? m : n, j = rows ? n : m;
            const auto in_atom = atom::d_at(p.lane, g);
            f(Grid::row_of(p.wave) + i * atom::m + in_atom.major,
              Grid::column_of(p.wave) + j * atom::n + in_atom.minor, acc.at(p, i, j)[g]);
        }
    });
}

}  // namespace FADE_NAMESPACE::block
