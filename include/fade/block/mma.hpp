// acc += A B over a pair of shared tiles, by all waves of a workgroup.
#pragma once
#include <fade/block/shared_layout.hpp>
#include <fade/core/instruction_mix.hpp>
#include <fade/wave/line_reader.hpp>
#include <fade/wave/load.hpp>
#include <fade/wave/mma.hpp>

namespace FADE_NAMESPACE::block {

/// How the waves of a workgroup share its tile: a grid of rows x columns of wave tiles, row-major.
template <int Rows, int Columns, int TileM, int TileN>
struct wave_grid {
    static constexpr int waves = Rows * Columns, rows = Rows, columns = Columns, tile_m = TileM,
                         tile_n = TileN;
    FADE_FN static constexpr int row_of(int wave) { return wave / Columns * TileM; }
    FADE_FN static constexpr int column_of(int wave) { return wave % Columns * TileN; }
};

/// Do the shapes of a product agree? A mistake in one of them would compute something else.
template <class Block, class Acc, class Grid, class LayoutA, class LayoutB>
constexpr bool shapes_agree() {
    using atom = typename Acc::atom;
    static_assert(Block::waves == Grid::waves,
                  "a wave grid has as many waves as the workgroup: let launch_shape.waves be rows x columns "
                  "of the grid");
    static_assert(Acc::rows * atom::m == Grid::tile_m && Acc::columns * atom::n == Grid::tile_n,
                  "an accumulator is the wave tile of its grid in whole atoms: let it have tile_m / atom::m "
                  "rows and tile_n / atom::n columns, without a remainder");
    static_assert(LayoutA::rows == Grid::rows * Grid::tile_m && LayoutB::rows == Grid::columns * Grid::tile_n,
                  "the wave tiles of a grid cover its shared tiles: A has rows x tile_m rows, B columns x "
                  "tile_n");
    static_assert(LayoutA::depth == LayoutB::depth, "the shared tiles of a product have the same depth");
    return true;
}

/// Where in its atom's tile a lane begins to read: a row (or column) and a k.
struct lane_start {
    int row, k;
};

/// What brings an operand of `Rows` rows an atom from a shared tile: atoms that want consecutive k read lines
/// of rows element by element.
template <class Block, class Layout, class Atom, int Rows, int LaneRows>
using reader_of =
    std::conditional_t<Layout::order == Atom::order,
                       wave::operand_reader<Block, Layout, Rows, LaneRows, Atom::lane_k, Atom::k_groups>,
                       wave::line_reader<Block, Layout, Rows, LaneRows, Atom::lane_k, Atom::k_groups>>;

/// Multiplies shared tiles of two layouts; made before the loop over k, because it holds every lane's
/// addresses. `ByRows`: of A registers hold one slice, whose rows are read again one by one.
template <class Block, class Acc, class Grid, class LayoutA, class LayoutB, bool ByRows = false>
class multiplier {
    using atom = typename Acc::atom;
    using element = typename atom::element;
    using reader_a = reader_of<Block, LayoutA, atom, atom::m, atom::lane_rows>;
    using reader_b = reader_of<Block, LayoutB, atom, atom::n, atom::lane_columns>;
    static_assert(shapes_agree<Block, Acc, Grid, LayoutA, LayoutB>());
    static_assert(LayoutA::depth % (atom::lane_k * atom::k_groups) == 0,
                  "the depth of a block tile is a multiple of what the lanes of an atom load at once");

public:
    static constexpr int slices = reader_a::k_steps, parts = atom::lane_k * atom::k_groups / atom::k;
    static constexpr bool by_rows = ByRows;
    /// Slices of k that were read before they are multiplied, for all waves.
    struct slice_set {
        wave::register_sets<Block, element, atom::lane_rows * atom::lane_k, Acc::rows, by_rows ? 1 : 2> a;
        wave::register_sets<Block, element, atom::lane_columns * atom::lane_k, Acc::columns, 2> b;
    };
    /// Instructions of a wave for a slice.
    static constexpr instruction_mix mix{.reads =
                                             Acc::rows * reader_a::reads + Acc::columns * reader_b::reads};
    static constexpr int products = parts * Acc::rows * Acc::columns, row_products = products / Acc::rows;
    /// Those of a row of atoms, after which A's is read again, but for the last: that is read before the next
    /// slice is multiplied. Before the second row stand B, and A's first row.
    FADE_FN static constexpr instruction_mix mix_of_row(int row) {
        return {.reads = row == 1   ? reader_a::reads + Acc::columns * reader_b::reads
                         : row == 0 ? reader_a::reads
                                    : 0,
                .row = row_products,
                .row_reads = row == 0 || row == Acc::rows - 1 ? 0 : reader_a::reads};
    }

    /// Addresses are kept for the tiles at `home`.
    FADE_FN explicit multiplier(Block& block, const tile_pair<LayoutA, LayoutB>& home = {{0}, {0}})
        : a_(
              block, Grid::row_of,
              [](int lane, int r) {
                  return lane_start{atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k};
              },
              home.a.base),
          b_(
              block, Grid::column_of,
              [](int lane, int c) {
                  return lane_start{atom::b_column(lane, c), atom::k_group(lane) * atom::lane_k};
              },
              home.b.base) {}

    /// Reads slice s of a pair of shared tiles into one of two registers sets; the caller has synchronised.
    FADE_FN void read(Block& block, slice_set& to, int set, const tile_pair<LayoutA, LayoutB>& from, int s) {
        block.each_wave([&](wave_coord w) {
            auto a = set_of_a(to, w, set);
            auto b = to.b.of(w, set);
            a_.load(block, w, from.a.base, s, a);
            b_.load(block, w, from.b.base, s, b);
        });
    }

    /// Reads B's part of slice s only.
    FADE_FN void read_b(Block& block, slice_set& to, int set, const shared_tile<LayoutB>& from, int s) {
        block.each_wave([&](wave_coord w) {
            auto b = to.b.of(w, set);
            b_.load(block, w, from.base, s, b);
        });
    }

    /// Reads one row of atoms of A's part of slice s only, where there is one set of them.
    FADE_FN void read_row(Block& block, slice_set& to, const shared_tile<LayoutA>& from, int s, int row) {
        block.each_wave([&](wave_coord w) {
            auto a = to.a.of(w, 0);
            wave::one_tile<decltype(a)> tile{a, row};
            a_.load(block, w, from.base, s, tile, row);
        });
    }

    /// acc += A B^T for one row of atoms of a slice that was read.
    FADE_FN void multiply_row(Block& block, Acc& acc, slice_set& from, int set, int row) {
        block.each_wave([&](wave_coord w) {
            auto a = set_of_a(from, w, set);
            auto b = from.b.of(w, set);
            wave::mma_rows<parts, 1>(block, w, acc, a, b, row);
        });
    }

    /// acc += A B^T for a slice that was read.
    FADE_FN void multiply(Block& block, Acc& acc, slice_set& from, int set) {
        block.each_wave([&](wave_coord w) {
            auto a = set_of_a(from, w, set);
            auto b = from.b.of(w, set);
            wave::mma_all<parts>(block, w, acc, a, b);
        });
    }

    /// acc += A B^T for tiles a (rows x depth) and b (columns x depth). All waves call it; the caller has
    /// synchronised.
    FADE_FN void multiply(Block& block, Acc& acc, const shared_tile<LayoutA>& from_a,
                          const shared_tile<LayoutB>& from_b) {
        block.each_wave([&](wave_coord w) {
            FADE_UNROLL
            for (int s = 0; s < slices; ++s) {
                wave::operand_fragment<Block, element, atom::lane_rows * atom::lane_k, Acc::rows> a;
                wave::operand_fragment<Block, element, atom::lane_columns * atom::lane_k, Acc::columns> b;
                a_.load(block, w, from_a.base, s, a);
                b_.load(block, w, from_b.base, s, b);
                wave::mma_all<parts>(block, w, acc, a, b);
            }
        });
    }

private:
    FADE_FN static auto set_of_a(slice_set& of, wave_coord w, int set) {
        return of.a.of(w, by_rows ? 0 : set);
    }

    reader_a a_;
    reader_b b_;
};

}  // namespace FADE_NAMESPACE::block
