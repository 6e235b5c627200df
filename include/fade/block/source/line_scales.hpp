// Scales of an operand whose lines (rows of A, columns of B) are cut along k: a scale for some lines and a
// part of k.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Scale (g, s) of lines g << shift and more, and of part s of k, lies at first[g * line_stride + s *
/// k_stride].
struct line_scales {
    const float *first, *end;  ///< end: behind the last
    index line_stride, k_stride;
    int shift;

    FADE_FN const float* at(index line, index part) const {
        return first + (line >> shift) * line_stride + part * k_stride;
    }
};

/// Those of a tile's `Lines` lines as the lanes of a workgroup bring them: line after line, a part of k at a
/// time.
template <class Block, int Lines>
class tile_scales {
    static constexpr int wave_lanes = Block::arch::traits.wave_size, threads = Block::waves * wave_lanes,
                         loads = ceil_div(Lines, threads);
    static_assert(
        (Lines & (Lines - 1)) == 0,
        "a tile's lines are a power of two, so that it begins where lines begin to share a scale, or "
        "lies within those that share one");
    struct lane_state {
        std::uint32_t offset[loads];
        float value[loads];
    };

public:
    /// `lines` exist from `line` on, and `parts` of k. Scales of others are 0.
    FADE_FN tile_scales(Block& block, const line_scales& of, index line, int lines, int parts)
        : of_(of), line_(line), left_(parts) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < loads; ++i)
                lanes_[p].offset[i] = line_of(p, i) < lines
                                          ? std::uint32_t(line_of(p, i) >> of.shift) *
                                                std::uint32_t(of.line_stride) * std::uint32_t(sizeof(float))
                                          : backend::outside;
        });
    }
    /// Those of the next part of k, into registers.
    FADE_FN void load(Block& block) {
        const auto memory = block.global(of_.at(line_, part_), of_.first, of_.end);
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < loads; ++i)
                lanes_[p].value[i] =
                    memory.template load<float>(left_ > 0 ? lanes_[p].offset[i] : backend::outside);
        });
        if (left_-- > 1) ++part_;
    }
    /// From there to shared memory, from byte `to` on.
    FADE_FN void store(Block& block, std::uint32_t to) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < loads; ++i)
                if (line_of(p, i) < Lines)
                    block.store_shared(p, to + std::uint32_t(line_of(p, i)) * 4, lanes_[p].value[i]);
        });
    }

private:
    FADE_FN static int line_of(lane_coord p, int i) { return p.wave * wave_lanes + p.lane + i * threads; }

    line_scales of_;
    index line_, part_ = 0;
    int left_;
    per_lane<Block, lane_state> lanes_;
};

/// How many of a lane's registers of an atom hold consecutive rows, and whether all hold one column.
template <class Atom>
struct result_shape {
    FADE_FN static constexpr bool in_runs_of(int length) {
        for (int lane = 0; lane < Atom::lanes; ++lane)
            for (int g = 0; g < Atom::d_size; ++g)
                if (Atom::d_size % length != 0 ||
                    Atom::d_at(lane, g).major != Atom::d_at(lane, g / length * length).major + g % length)
                    return false;
        return true;
    }
    FADE_FN static constexpr bool one_column() {
        for (int lane = 0; lane < Atom::lanes; ++lane)
            for (int g = 0; g < Atom::d_size; ++g)
                if (Atom::d_at(lane, g).minor != Atom::d_at(lane, 0).minor) return false;
        return true;
    }
    static constexpr int run = in_runs_of(4) ? 4 : 1, columns = one_column() ? 1 : Atom::d_size;
};

/// The scales of a tile's rows and columns in shared memory, in two turns: what a part of k takes, and what
/// is written for the next one.
template <class Block, class Acc, class Grid>
class result_scales {
    using atom = typename Acc::atom;
    using shape = result_shape<atom>;
    static constexpr int rows = Grid::rows * Grid::tile_m, columns = Grid::columns * Grid::tile_n,
                         turn_bytes = (rows + columns) * 4;

public:
    static constexpr int bytes = 2 * turn_bytes;

    /// At byte `home`. Those of the first part lie there behind the next barrier. All lanes call it.
    FADE_FN result_scales(Block& block, std::uint32_t home, const tile_scales<Block, rows>& of_rows,
                          const tile_scales<Block, columns>& of_columns)
        : home_(home), rows_(of_rows), columns_(of_columns) {
        load(block);
        next(block);
    }

    /// sums += part times the scales of this part of k.
    FADE_FN void add(Block& block, Acc& sums, Acc& part) {
        const std::uint32_t at = home_ + std::uint32_t(turn_) * turn_bytes;
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            float column[Acc::columns][shape::columns];
            FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
            for (int g = 0; g < shape::columns; ++g)
                column[j][g] = block.template load_shared<float>(
                    p, at + std::uint32_t(rows + Grid::column_of(p.wave) + j * atom::n +
                                          atom::d_at(p.lane, g).minor) *
                                4);
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) {
                vec<float, shape::run> row[atom::d_size / shape::run];
                FADE_UNROLL
                for (int r = 0; r < atom::d_size / shape::run; ++r)
                    row[r] = block.template load_shared<vec<float, shape::run>>(
                        p, at + std::uint32_t(Grid::row_of(p.wave) + i * atom::m +
                                              atom::d_at(p.lane, r * shape::run).major) *
                                    4);
                FADE_UNROLL
                for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
                for (int g = 0; g < atom::d_size; ++g)
                    sums.at(p, i, j)[g] += part.at(p, i, j)[g] * (row[g / shape::run][g % shape::run] *
                                                                  column[j][g % shape::columns]);
            }
        });
    }
    /// Goes on to the next part of k, whose scales lie in place behind the next barrier. All lanes call it.
    FADE_FN void next(Block& block) {
        turn_ ^= 1;
        const std::uint32_t to = home_ + std::uint32_t(turn_) * turn_bytes;
        rows_.store(block, to), columns_.store(block, to + rows * 4);
        load(block);
    }

private:
    FADE_FN void load(Block& block) { rows_.load(block), columns_.load(block); }

    std::uint32_t home_;
    int turn_ = 1;
    tile_scales<Block, rows> rows_;
    tile_scales<Block, columns> columns_;
};

/// The same for waves that no barrier joins: each lane reads the scales of its rows itself, and one that all
/// columns of the tile share.
template <class Block, class Acc, class Grid>
class lane_scales {
    using atom = typename Acc::atom;
    static constexpr int registers = atom::d_size;
    struct lane_state {
        std::uint32_t offset[Acc::rows][registers];
        float row[Acc::rows][registers], column;
    };

public:
    /// Of `lines` rows from `row` on, and of the columns that `column` is one of.
    FADE_FN lane_scales(Block& block, const line_scales& rows, index row, int lines,
                        const line_scales& columns, index column)
        : rows_(rows), columns_(columns), row_(row), column_(column) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int g = 0; g < registers; ++g) {
                const int line = Grid::row_of(p.wave) + i * atom::m + atom::d_at(p.lane, g).major;
                lanes_[p].offset[i][g] =
                    line < lines ? std::uint32_t(((row + line) >> rows.shift) - (row >> rows.shift)) *
                                       std::uint32_t(rows.line_stride) * std::uint32_t(sizeof(float))
                                 : backend::outside;
            }
        });
    }
    /// Those of the next part of k, into registers.
    FADE_FN void load(Block& block) {
        const auto rows = block.global(rows_.at(row_, part_), rows_.first, rows_.end),
                   columns = block.global(columns_.at(column_, part_), columns_.first, columns_.end);
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int g = 0; g < registers; ++g)
                lanes_[p].row[i][g] = rows.template load<float>(lanes_[p].offset[i][g]);
            lanes_[p].column = columns.template load<float>(0);
        });
        ++part_;
    }
    /// sums += part times the scales that were loaded.
    FADE_FN void add(Block& block, Acc& sums, Acc& part) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int g = 0; g < registers; ++g) {
                const float by = lanes_[p].row[i][g] * lanes_[p].column;
                FADE_UNROLL
                for (int j = 0; j < Acc::columns; ++j) sums.at(p, i, j)[g] += part.at(p, i, j)[g] * by;
            }
        });
    }

private:
    line_scales rows_, columns_;
    index row_, column_, part_ = 0;
    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block
