// Operand B of a loop, tile after tile of a matrix: loads that pass the registers by where they can.
#pragma once
#include <fade/block/tile/warpgroup.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::tile {

namespace detail {

/// How Threads lanes share the 16-byte runs of a tile: each the same run of as many rows.
template <class Tile, int Threads>
struct shared_runs {
    using layout = typename Tile::layout;
    static constexpr bool along_k = Tile::order == memory_order::k_contiguous;
    static constexpr int run = 16 / int(sizeof(typename layout::element)),
                         runs = (along_k ? layout::depth : layout::rows) / run,
                         rows = along_k ? layout::rows : layout::depth, at_once = Threads / runs;
    /// Rows that a lane copies are whole groups of eight apart, which are exchanged alike.
    static constexpr bool even = Threads % runs == 0 && at_once % 8 == 0 && rows % max_of(at_once, 1) == 0;
};

/// Copies tiles past the registers, as they lie.
template <class Block, class Tile, class T>
class run_copier {
    using shape = shared_runs<Tile, Block::threads>;
    using layout = typename Tile::layout;
    struct lane_state {
        std::uint32_t shared;
        int offset, row, column;  // its first element in memory, and in the tile
    };

public:
    FADE_FN run_copier(Block& block, const Tile&, const matrix<T>& from) : from_(from) {
        block.each_lane([&](lane_coord p) {
            const int n = p.wave * Block::wave_size + p.lane, row = n / shape::runs,
                      column = n % shape::runs * shape::run;
            lanes_[p] = {at(row, column), row * int(from.ld) + column, row, column};
        });
    }
    /// Starts copying a tile, of which so many steps of depth exist, to a byte of shared memory.
    FADE_FN void copy(Block& block, std::uint32_t base, int depth) {
        const int end_row = shape::along_k ? from_.rows : min_of(from_.rows, depth),
                  end_column = shape::along_k ? min_of(from_.columns, depth) : from_.columns;
        block.each_lane([&](lane_coord p) {
            const auto& lane = lanes_[p];
            const int rows = lane.column < end_column ? end_row - lane.row : 0;
            FADE_UNROLL
            for (int i = 0; i < shape::rows / shape::at_once; ++i)
                block.copy_async(p, base + lane.shared + at(i * shape::at_once, 0),
                                 from_.first + lane.offset + i * shape::at_once * from_.ld,
                                 i * shape::at_once < rows);
        });
        block.commit_async();
    }
    FADE_FN void advance_rows(int rows) { from_.first += rows * from_.ld, from_.rows -= rows; }
    FADE_FN void advance_columns(int columns) { from_.first += columns, from_.columns -= columns; }

private:
    FADE_FN static constexpr std::uint32_t at(int row, int column) {
        return shape::along_k ? layout::offset(row, column) : layout::offset(column, row);
    }
    matrix<T> from_;
    per_lane<Block, lane_state> lanes_;
};

/// Do copies pass the registers by?
template <class Block, class Tile, class Matrix>
inline constexpr bool streams_past_registers = false;
template <async_workgroup Block, by_matrix_unit Tile, class T>
    requires requires { Tile::stages; }
inline constexpr bool streams_past_registers<Block, Tile, matrix<T>> =
    std::is_same_v<std::remove_const_t<T>, typename Tile::layout::element> &&
    shared_runs<Tile, Block::threads>::even;

}  // namespace detail

/// Operand B that comes tile after tile from a matrix, or a paged_matrix, to a streamed tile. `load` asks for
/// a tile, `store` has it there behind the next barrier, which products read from then on: a barrier stands
/// between those of the tile before and `store`. One `store` follows each `load`. Made before a loop, since
/// it holds every lane's addresses.
template <class Block, class Tile, class Matrix>
class stream : public operand_b<Block, Tile> {
public:
    /// Of the tile `to`, from the first rows and columns of `from`.
    FADE_FN stream(Block& block, const Tile& to, const Matrix& from)
        : operand_b<Block, Tile>(block, to), loader_(block, to, from) {}

    /// Begins to load a tile: into registers.
    FADE_FN void load(Block& block) { loader_.load(block); }
    /// The same where only so many steps of the tile's depth exist; the others read as zero.
    FADE_FN void load(Block& block, int depth) { loader_.load(block, depth); }
    /// Puts what was loaded into shared memory.
    FADE_FN void store(Block& block) { loader_.store(block); }
    /// Later loads begin so many rows of the matrix further on.
    FADE_FN void advance_rows(int rows) { loader_.advance_rows(rows); }
    /// And so many columns.
    FADE_FN void advance_columns(int columns) { loader_.advance_columns(columns); }

private:
    loader<Block, Tile, Matrix> loader_;
};

/// The same past the registers.
template <class Block, class Tile, class Matrix>
    requires detail::streams_past_registers<Block, Tile, Matrix>
class stream<Block, Tile, Matrix> : public operand_b<Block, Tile> {
public:
    /// Of the tile `to`, from the first rows and columns of `from`.
    FADE_FN stream(Block& block, const Tile& to, const Matrix& from)
        : operand_b<Block, Tile>(block, to), base_(to.base), copier_(block, to, from) {}

    /// Begins to copy a tile: to a stage that nobody reads.
    FADE_FN void load(Block& block) { load(block, Tile::depth); }
    /// The same where only so many steps of the tile's depth exist; the others become zero.
    FADE_FN void load(Block& block, int depth) {
        copier_.copy(block, base_ + std::uint32_t(stage_ * Tile::stage_bytes), depth);
    }
    /// Waits for what this lane copied.
    FADE_FN void store(Block& block) {
        block.template wait_async<0>();
        this->read_stage(stage_);
        stage_ = (stage_ + 1) % Tile::stages;
    }
    /// Later loads begin so many rows of the matrix further on.
    FADE_FN void advance_rows(int rows) { copier_.advance_rows(rows); }
    /// And so many columns.
    FADE_FN void advance_columns(int columns) { copier_.advance_columns(columns); }

private:
    std::uint32_t base_;
    int stage_ = 0;  // that is filled next
    detail::run_copier<Block, Tile, std::remove_pointer_t<decltype(Matrix::first)>> copier_;
};

}  // namespace FADE_NAMESPACE::tile
