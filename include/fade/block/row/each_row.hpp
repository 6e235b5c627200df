// The rows that a workgroup takes, one after the other.
#pragma once
#include <fade/block/row/cpu_row.hpp>
#include <fade/block/row/row.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// How many rows there are, of how many columns, and how many workgroups share them.
struct row_extent {
    index rows;
    int columns, groups;
};

/// Calls f(part) for the rows that share a wave: on a GPU each lane for its own, all at once.
template <row_policy P, class Block, class F>
FADE_FN void each_part(Block& block, wave_coord w, F f) {
    if constexpr (Block::emulated) {
        for (int part = 0; part < P.rows_of_wave; ++part) f(part);
    } else {
        block.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA { f(row_columns<Block, P>::part_of(p)); });
    }
}

/// Calls f(row) for the rows `begin`, `begin` + groups and on, which all waves share.
template <row_policy P, class Block, class Shift, class F>
FADE_FN void each_row_from(Block& block, index begin, const row_extent& extent, Shift shift_of, F f) {
    static_assert(P.shared_row);
    int parity = 0;
    for (index r = begin; r < extent.rows; r += extent.groups) {
        const row_columns<Block, P> columns{extent.columns, P.whole_runs ? 0 : shift_of(r)};
        row<Block, P> here(block, wave_coord{0, 0}, {r, r + extent.groups, r == begin}, extent.rows, columns,
                           parity);
        f(here);
    }
}

/// Calls f(row) for every row that this workgroup takes, or with each wave for its own. `shift_of(row)` says
/// how many elements lie between a row's first and the aligned address before it.
/// On a CPU rows are read by vectors of VectorBytes bytes, and a workgroup has neighbouring rows: it asks for
/// the next one before it ends the last.
template <row_policy P, int VectorBytes = 16, class Block, class Shift, class F>
FADE_FN void each_row(Block& block, const row_extent& extent, Shift shift_of, F f) {
    int parity = 0;
    const auto take = [&](wave_coord w, const row_step& at) FADE_LAMBDA {
        const row_columns<Block, P> columns{extent.columns, P.whole_runs ? 0 : shift_of(at.number)};
        row<Block, P> here(block, w, at, extent.rows, columns, parity);
        f(here);
    };
    if constexpr (Block::wave_size == 1) {
        const index each = ceil_div(extent.rows, index(extent.groups)), begin = block.id_x() * each,
                    end = min_of(begin + each, extent.rows);
        for (index r = begin; r < end; ++r) {
            cpu_row<P, Block, VectorBytes> here(r, extent.columns, extent.rows);
            f(here);
        }
        atom::end_stream();
    } else if constexpr (P.shared_row) {
        const index begin = block.id_x();
        for (index r = begin; r < extent.rows; r += extent.groups)
            take(wave_coord{0, 0}, {r, r + extent.groups, r == begin});
    } else if constexpr (P.rows_of_wave == 1) {
        const index begin = index(block.id_x()) * Block::waves, step = index(extent.groups) * Block::waves;
        for (index r = begin; r < extent.rows; r += step)
            block.each_wave([&](wave_coord w) FADE_LAMBDA {
                if (r + w.wave < extent.rows) take(w, {r + w.wave, r + w.wave + step, r == begin});
            });
    } else {
        constexpr int at_once = P.rows_at_once();
        const index begin = index(block.id_x()) * at_once, step = index(extent.groups) * at_once;
        for (index r = begin; r < extent.rows; r += step)
            block.each_wave([&](wave_coord w) FADE_LAMBDA {
                const index first = r + w.wave * P.rows_of_wave;
                if (first >= extent.rows) return;
                each_part<P>(block, w, [&](int part) FADE_LAMBDA {
                    const index number = first + part;
                    const bool there = number < extent.rows;
                    // Lanes without a row exchange with those that have one: theirs has no columns.
                    const row_columns<Block, P> columns{there ? extent.columns : 0,
                                                        P.whole_runs || !there ? 0 : shift_of(number)};
                    row<Block, P> here(
                        block, w, {there ? number : extent.rows - 1, number + step, r == begin, part, there},
                        extent.rows, columns, parity);
                    f(here);
                });
            });
    }
}

}  // namespace FADE_NAMESPACE::block
