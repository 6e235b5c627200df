// Products by four waves at once, whose operands the matrix unit reads from shared memory itself.
#pragma once
#include <fade/block/async_copy.hpp>
#include <fade/block/mma.hpp>
#include <fade/block/shared_layout.hpp>
#include <fade/block/warpgroup_emulated.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/unrolled.hpp>
#include <utility>

namespace FADE_NAMESPACE::block {

/// Groups of 64 rows, k after k, 128 bytes each; the 16-byte chunks are exchanged by XOR with k. What lies
/// contiguous along rows is copied as it lies.
template <class T, int Rows, int Depth>
struct row_warpgroup_layout {
    using element = T;
    static constexpr operand_order order = operand_order::row_contiguous;
    static constexpr int rows = Rows, depth = Depth, k_run = 1, group = 128 / int(sizeof(T)),
                         chunk = 16 / int(sizeof(T));
    static constexpr int group_bytes = Depth * 128, bytes = Rows / group * group_bytes;
    static_assert(Rows % group == 0, "the rows of a warpgroup's tile are whole groups of 128 bytes");

    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return std::uint32_t(row / group * group_bytes + k * 128 + ((row % group / chunk) ^ (k % 8)) * 16 +
                             row % chunk * int(sizeof(T)));
    }
};

/// The same bytes with rows and k exchanged: what lies contiguous along k is copied as it lies.
template <class T, int Rows, int Depth>
struct k_warpgroup_layout {
    using spans = row_warpgroup_layout<T, Depth, Rows>;
    using element = T;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int rows = Rows, depth = Depth, k_run = 4 / int(sizeof(T)), bytes = spans::bytes;

    FADE_FN static constexpr std::uint32_t offset(int row, int k) { return spans::offset(k, row); }
};

/// The shared tile of an operand that is copied asynchronously for a warpgroup.
template <class Layout, memory_order Order>
using warpgroup_layout =
    std::conditional_t<Order == memory_order::row_contiguous,
                       row_warpgroup_layout<typename Layout::element, Layout::rows, Layout::depth>, Layout>;

/// Puts zeros into a tile that lies along rows, from the k `first` on.
template <class Layout, class Block>
FADE_FN void clear_behind(Block& block, std::uint32_t tile, int first) {
    static_assert(Layout::order == operand_order::row_contiguous, "a k is a line of each group of rows");
    constexpr int run = 16, runs = 128 / run, lanes = Block::waves * Block::wave_size;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        const int lane = p.wave * Block::wave_size + p.lane;
        FADE_ROLLED
        for (int n = first * runs + lane; n < Layout::depth * runs; n += lanes)
            unrolled<Layout::rows / Layout::group>([&](int group) FADE_LAMBDA {
                block.store_shared(p, tile + std::uint32_t(group * Layout::group_bytes + n * run),
                                   vec<std::uint32_t, 4>{});
            });
    });
}

/// How the matrix unit finds an operand: the descriptor of 16 k from `k` on, beginning at `row`.
template <class Atom, class Layout>
struct warpgroup_operand {
    static constexpr bool along_rows = Layout::order == operand_order::row_contiguous;
    FADE_FN static std::uint64_t descriptor(std::uint32_t tile, int row, int k) {
        if constexpr (along_rows)
            return Atom::descriptor(tile + Layout::offset(row, 0) + std::uint32_t(k * 128),
                                    Layout::group_bytes);
        else {
            static_assert(
                Layout::depth * sizeof(typename Layout::element) == 128,
                "a warpgroup's tiles have rows of 128 bytes: take a block tile of 64 k for 16-bit types");
            return Atom::descriptor(
                tile + std::uint32_t(row * 128 + k * int(sizeof(typename Layout::element))), 16);
        }
    }
};

/// Starts acc += A B^T for shared tiles; the products of a tile complete together. Tiles begin at multiples
/// of 1024 bytes.
template <class Block, class Acc, class Grid, class LayoutA, class LayoutB>
class warpgroup_multiplier {
    using atom = typename Acc::atom;
    using operand_a = warpgroup_operand<atom, LayoutA>;
    using operand_b = warpgroup_operand<atom, LayoutB>;
    static_assert(shapes_agree<Block, Acc, Grid, LayoutA, LayoutB>());
    static_assert(
        Acc::rows == 1 && Grid::columns == 1 && Grid::rows % atom::waves == 0,
        "the waves of a warpgroup hold 16 rows each of all columns: take a wave tile of 16 rows and "
        "the columns of the block tile, and four waves or a multiple");

public:
    FADE_FN explicit warpgroup_multiplier(Block&, const tile_pair<LayoutA, LayoutB>& = {{0}, {0}}) {}

    /// Fresh: acc = A B^T.
    template <bool Fresh = false>
    FADE_FN void start(Block& block, Acc& acc, const shared_tile<LayoutA>& a, const shared_tile<LayoutB>& b) {
        if constexpr (Block::emulated) {
            block.each_wave([&](wave_coord w) {
                const int row = first_row(w) + w.wave % atom::waves * atom::m;
                block.start_later([=, &block, &acc] {
                    emulated_products<LayoutA, LayoutB, Fresh>(block, w, acc, a.base, row, b.base,
                                                               Grid::column_of(w.wave));
                });
            });
            block.commit_matrix();
        } else
            block.each_wave([&](wave_coord w) {
                const int row = first_row(w), column = Grid::column_of(w.wave);
                const std::uint32_t tile_a = block.shared_address(a.base),
                                    tile_b = block.shared_address(b.base);
                block.begin_matrix();
                constexpr int peeled = Fresh ? atom::k : 0;
                if constexpr (Fresh) start_step<true>(acc, w, tile_a, row, tile_b, column, 0);
                FADE_UNROLL
                for (int k = peeled; k < LayoutA::depth; k += atom::k)
                    start_step<false>(acc, w, tile_a, row, tile_b, column, k);
                block.commit_matrix();
            });
    }

    /// The same, complete on return; for pipelines that pass through registers.
    FADE_FN void multiply(Block& block, Acc& acc, const shared_tile<LayoutA>& a,
                          const shared_tile<LayoutB>& b) {
        start(block, acc, a, b);
        block.template wait_matrix<0>();
    }

private:
    /// All columns of one instruction's k.
    template <bool Fresh>
    FADE_FN static void start_step(Acc& acc, wave_coord w, std::uint32_t tile_a, int row,
                                   std::uint32_t tile_b, int column, int k) {
        start_from<0, Fresh>(w, acc, operand_a::descriptor(tile_a, row, k), [&](int j) FADE_LAMBDA {
            return operand_b::descriptor(tile_b, column + j * atom::n, k);
        });
    }
    /// The tiles of D from column tile J on, in the widest instructions.
    template <int J, bool Fresh, class DescriptorOf>
    FADE_FN static void start_from(wave_coord w, Acc& acc, std::uint64_t rows, DescriptorOf descriptor_of) {
        constexpr int count = atom::together(Acc::columns - J);
        start_together<J, Fresh>(w, acc, rows, descriptor_of(J), std::make_integer_sequence<int, count>{});
        if constexpr (J + count < Acc::columns) start_from<J + count, Fresh>(w, acc, rows, descriptor_of);
    }
    template <int J, bool Fresh, int... I>
    FADE_FN static void start_together(wave_coord w, Acc& acc, std::uint64_t rows, std::uint64_t columns,
                                       std::integer_sequence<int, I...>) {
        atom::template start<operand_a::along_rows, operand_b::along_rows, Fresh>(rows, columns,
                                                                                  acc.at(w, 0, 0, J + I)...);
    }
    /// Of the four waves that multiply together.
    FADE_FN static int first_row(wave_coord w) { return Grid::row_of(w.wave / atom::waves * atom::waves); }
};

/// Have the four waves that ask, which multiply together, any of the first `rows` of a tile, or no others?
/// Emulated, all waves ask at once.
template <class Grid, class Block>
FADE_FN bool has_rows(const Block& block, int rows) {
    bool any = false;
    block.each_wave([&](wave_coord w) { any = any || Grid::row_of(w.wave / 4 * 4) < rows; });
    return any;
}
template <class Grid, class Block>
FADE_FN bool has_all_rows(const Block& block, int rows) {
    bool all = true;
    block.each_wave([&](wave_coord w) { all = all && Grid::row_of(w.wave / 4 * 4 + 4) <= rows; });
    return all;
}

/// A ring of shared tiles whose products overlap: step s is started while step s - 1 still runs, and the copy
/// of step s + Stages - 2 goes where step s - 2 was read, which every wave has finished by the barrier.
template <int Stages, class Block, class Loaders, class Tiles, class Start>
FADE_FN void run_warpgroup_ring(Block& block, Loaders& loaders, k_steps steps, int depth, Tiles tiles,
                                Start start) {
    auto copy = [&](int s) {
        const auto to = tiles(s % Stages);
        const int d = s == 0 ? steps.first : depth;
        if (s < steps.count) loaders.copy(block, to, d);
        block.commit_async();
    };
    FADE_UNROLL
    for (int s = 0; s < Stages - 2; ++s) copy(s);
    for (int s = 0; s < steps.count; ++s) {
        block.template wait_matrix<1>();
        block.template wait_async<Stages - 3>();
        block.sync();
        start(tiles(s % Stages));
        copy(s + Stages - 2);
    }
    block.template wait_matrix<0>();
}

}  // namespace FADE_NAMESPACE::block
