// Scales of an operand whose lines (rows of A, columns of B) are cut along k: a scale for some lines and a
// part of k.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/wave/fragment.hpp>

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

/// Those of a tile's lines.
class tile_scales {
    line_scales of_;
    index line_, part_ = 0;
    int lines_;

public:
    /// `lines` exist from `line` on; beyond them scales are 0.
    FADE_FN tile_scales(const line_scales& of, index line, int lines) : of_(of), line_(line), lines_(lines) {}

    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global(of_.at(line_, part_), of_.first, of_.end);
    }
    FADE_FN bool holds(int line) const { return line < lines_; }
    /// Bytes from that of the tile's first line.
    FADE_FN std::uint32_t offset(int line) const {
        const index in_group = line_ & ((index(1) << of_.shift) - 1);
        return std::uint32_t((in_group + line) >> of_.shift) * std::uint32_t(of_.line_stride) *
               std::uint32_t(sizeof(float));
    }
    FADE_FN void advance() { ++part_; }
};

/// What a lane multiplies its sums of a part of k by: scales of the rows and columns that its registers
/// belong to.
template <class Block, class Acc, class Grid>
class result_scales {
    using atom = typename Acc::atom;
    static constexpr int registers = atom::d_size;
    struct in_atom {
        bool row = true, column = true;
    };
    /// Do all registers of a lane belong to one row of the atom, or to one column?
    static constexpr in_atom one_of_a_lane() {
        in_atom same;
        for (int lane = 0; lane < atom::lanes; ++lane)
            for (int g = 1; g < registers; ++g) {
                const auto at = atom::d_at(lane, g), first = atom::d_at(lane, 0);
                same.row = same.row && at.major == first.major;
                same.column = same.column && at.minor == first.minor;
            }
        return same;
    }
    static constexpr in_atom one = one_of_a_lane();
    static constexpr int row_scales = one.row ? 1 : registers, column_scales = one.column ? 1 : registers;
    struct lane_scales {
        float row[Acc::rows][row_scales], column[Acc::columns][column_scales];
    };

public:
    FADE_FN result_scales(const tile_scales& rows, const tile_scales& columns)
        : rows_(rows), columns_(columns) {}

    /// Reads those of the next part of k.
    FADE_FN void load(Block& block) {
        const auto rows = rows_.memory(block), columns = columns_.memory(block);
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            lane_scales& to = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int g = 0; g < row_scales; ++g)
                to.row[i][g] =
                    one_scale(rows, rows_, Grid::row_of(p.wave) + i * atom::m + atom::d_at(p.lane, g).major);
            FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
            for (int g = 0; g < column_scales; ++g)
                to.column[j][g] = one_scale(
                    columns, columns_, Grid::column_of(p.wave) + j * atom::n + atom::d_at(p.lane, g).minor);
        });
        rows_.advance(), columns_.advance();
    }

    /// to += part * scales; part = 0.
    FADE_FN void move(Block& block, Acc& to, Acc& part) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            const lane_scales& by = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j) {
                FADE_UNROLL
                for (int g = 0; g < registers; ++g)
                    to.at(p, i, j)[g] +=
                        part.at(p, i, j)[g] * (by.row[i][g % row_scales] * by.column[j][g % column_scales]);
                part.at(p, i, j) = typename Acc::registers{};
            }
        });
    }

private:
    template <class Memory>
    FADE_FN static float one_scale(const Memory& memory, const tile_scales& of, int line) {
        return memory.template load<float>(of.holds(line) ? of.offset(line) : backend::outside);
    }

    tile_scales rows_, columns_;
    per_lane<Block, lane_scales> lanes_;
};

}  // namespace FADE_NAMESPACE::block
