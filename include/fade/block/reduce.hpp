// Reductions over the rows of a tile of accumulators, by all waves of a workgroup, through shared memory.
#pragma once
#include <cstdint>
#include <fade/core/vec.hpp>
#include <fade/wave/rows.hpp>

namespace FADE_NAMESPACE::block {

/// Lanes that hold a part of one row of D, where `wave_columns` waves stand side by side.
template <class Atom>
constexpr int parts_of_row(int wave_columns) {
    return wave_columns * Atom::n / wave::row_slots<Atom>::held;
}

/// Shared memory that row_reducer wants for a tile of so many rows.
template <class Atom>
constexpr int reduction_bytes(int rows, int wave_columns) {
    return rows * (parts_of_row<Atom>(wave_columns) + 2) * int(sizeof(float));
}

/// Combines whole rows of a tile that waves in `WaveColumns` columns share, through reduction_bytes() of
/// shared memory at `base`: every lane what it holds, then one lane a row those parts, in a fixed order. All
/// lanes get the results of their rows.
template <class Block, class Acc, int WaveColumns>
class row_reducer {
    using atom = typename Acc::atom;
    using slots = wave::row_slots<atom>;
    using values = wave::rows_of<Block, Acc>;
    static constexpr int wave_rows = Acc::rows * atom::m, rows = Block::waves / WaveColumns * wave_rows;
    static constexpr int parts = parts_of_row<atom>(WaveColumns), wave_parts = parts / WaveColumns;
    static constexpr int pitch = parts + 1;  // odd, so that the rows spread over the banks
    static_assert(Block::waves % WaveColumns == 0,
                  "the waves of a workgroup stand in whole rows: WaveColumns divides launch_shape.waves");

public:
    FADE_FN explicit row_reducer(std::uint32_t base) : base_(base) {}

    /// op over each row, op(a, b) being one of two values or their sum. All waves call it; it synchronises
    /// twice.
    template <class Op>
    FADE_FN values reduce(Block& block, Acc& acc, Op op) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int r = 0; r < slots::count; ++r)
                put(block, p, part_at(row_of(p, i, r), part_of(p)), held_part(acc, p, i, r, op));
        });
        block.sync();
        block.each_lane([&](place p) {
            for (int row = p.wave * Block::wave_size + p.lane; row < rows; row += Block::threads)
                put(block, p, result_at(row), combined(block, p, row, op));
        });
        block.sync();
        values out;
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int r = 0; r < slots::count; ++r)
                out.at(p, i, r) = get(block, p, result_at(row_of(p, i, r)));
        });
        return out;
    }

    FADE_FN values maximum(Block& block, Acc& acc) {
        return reduce(block, acc, [](float a, float b) { return a < b ? b : a; });
    }
    FADE_FN values sum(Block& block, Acc& acc) {
        return reduce(block, acc, [](float a, float b) { return a + b; });
    }

private:
    FADE_FN static int row_of(place p, int i, int slot) {
        return p.wave / WaveColumns * wave_rows + i * atom::m + atom::d_at(p.lane, slots::first(slot)).major;
    }
    FADE_FN static int part_of(place p) {
        return p.wave % WaveColumns * wave_parts + atom::d_at(p.lane, 0).minor / slots::held;
    }
    FADE_FN std::uint32_t part_at(int row, int part) const {
        return base_ + std::uint32_t(row * pitch + part) * 4;
    }
    FADE_FN std::uint32_t result_at(int row) const { return base_ + std::uint32_t(rows * pitch + row) * 4; }

    FADE_FN static void put(Block& block, place p, std::uint32_t at, float v) {
        block.store_shared(p, at, vec<float, 1>{v});
    }
    FADE_FN static float get(Block& block, place p, std::uint32_t at) {
        return block.template load_shared<vec<float, 1>>(p, at)[0];
    }

    /// What a lane holds of one row.
    template <class Op>
    FADE_FN static float held_part(Acc& acc, place p, int i, int slot, Op op) {
        float out = acc.at(p, i, 0)[slots::first(slot)];
        FADE_UNROLL
        for (int e = 1; e < Acc::columns * slots::held; ++e)
            out = op(out, acc.at(p, i, e / slots::held)[slots::first(slot) + e % slots::held]);
        return out;
    }
    template <class Op>
    FADE_FN float combined(Block& block, place p, int row, Op op) const {
        float out = get(block, p, part_at(row, 0));
        for (int part = 1; part < parts; ++part) out = op(out, get(block, p, part_at(row, part)));
        return out;
    }

    std::uint32_t base_;
};

}  // namespace FADE_NAMESPACE::block
