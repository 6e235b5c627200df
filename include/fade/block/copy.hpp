// From global memory through registers to a shared tile. Addresses are computed once, before the loop over k.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/patch.hpp>
#include <fade/block/register_view.hpp>
#include <fade/block/source/strided.hpp>
#include <fade/block/table_words.hpp>
#include <fade/core/instruction_mix.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Do the pieces of any patch of a tile lie where those of the first do, counted from their patch?
template <class Layout, int Rows, int K, int PieceRows, int PieceK>
constexpr bool has_even_pieces() {
    for (int row = 0; row < min_of(Layout::rows, 64); row += Rows)
        // what is exchanged repeats with fewer; compilers limit their steps
        for (int depth = 0; depth < Layout::depth; depth += K) {
            const std::uint32_t moved = Layout::offset(row, depth) - Layout::offset(0, 0);
            for (int r = 0; r < Rows; r += PieceRows)
                for (int k = 0; k < K; k += PieceK)
                    if (Layout::offset(row + r, depth + k) - Layout::offset(r, k) != moved) return false;
        }
    return true;
}
/// The same, counted once for all loaders of such patches.
template <class Layout, int Rows, int K, int PieceRows, int PieceK>
inline constexpr bool even_pieces =
    (Rows == PieceRows && K == PieceK) || has_even_pieces<Layout, Rows, K, PieceRows, PieceK>();

/// Copies tile after tile of a source (block/source/source.hpp). `load` leaves values in flight in registers,
/// `store` puts them into shared memory.
template <class Block, class T, class Layout, memory_order Order, class Operand = operand<T>>
class tile_loader {
    static_assert(tile_source_of<Operand, Block>,
                  "a tile is copied from an offset_source or a scattered_source (block/source/source.hpp)");
    using patch = patch_shape<T, Layout, Order, Block::threads, Block::wave_size>;
    using target = typename Layout::element;
    static constexpr int patches = ceil_div(patch::per_tile, Block::threads);
    static constexpr bool along_k = Layout::order == operand_order::k_contiguous,
                          in_lines =
                              !along_k && Layout::k_run == 1;  // in_lines: neighbouring rows are neighbours
    static constexpr bool all_busy = patch::per_tile % Block::threads == 0;
    static constexpr int piece_k = along_k ? min_of(patch::k, 16 / int(sizeof(target))) : Layout::k_run;
    static constexpr int piece_rows =
        along_k ? 1 : min_of(patch::rows, max_of(16 / int(sizeof(target)) / piece_k, 1));
    static constexpr int pieces_k = patch::k / piece_k, pieces_rows = patch::rows / piece_rows;
    // The pieces of a patch are constant distances apart, or need an address each (where 16-byte slots are
    // exchanged).
    FADE_FN static constexpr std::uint32_t distance(int r, int k) {
        return Layout::offset(r * piece_rows, k * piece_k) - Layout::offset(0, 0);
    }
    static constexpr bool even = even_pieces<Layout, patch::rows, patch::k, piece_rows, piece_k>;
    static constexpr int kept_rows = even ? 1 : pieces_rows, kept_k = even ? 1 : pieces_k;
    static constexpr bool narrow = patch::width * sizeof(T) < 4;
    // Values stay whole registers until they are stored: elements that live across the loop would be taken
    // apart by the compiler.
    using words = vec<std::uint32_t, narrow ? 1 : patch::width* int(sizeof(T)) / 4>;
    using registers = register_view<Block, T>;
    struct lane_state {
        std::uint32_t offset[patches];  // in global memory, bytes from the tile's first element
        table_words<Operand, patches, patch::loads> table;
        std::uint32_t shared[patches][kept_rows][kept_k];  // in a shared tile
        words value[patches][patch::loads];
        source_conditions<Operand, patches> conditions;
    };

public:
    /// Instructions of a wave for a tile.
    static constexpr instruction_mix mix{.moves = patch::transposed && sizeof(T) < 4
                                                      ? patches * patch::elements * int(sizeof(T)) / 4 *
                                                            (sizeof(T) == 1 ? 2 : 1)
                                                      : 0,
                                         .writes = patches * pieces_rows * pieces_k,
                                         .loads = patches * patch::loads,
                                         .scalars = scalars_of_step<Operand>,
                                         .shared_moves = patch::transposed && sizeof(T) == 1};

    /// Those of looking ahead.
    static constexpr instruction_mix mix_ahead = ahead_mix<Operand>(patches, patch::loads);

    /// Addresses in shared memory are kept for a tile at `home`.
    FADE_FN tile_loader(Block& block, const Operand& from, shared_tile<Layout> home = {0})
        : from_(from), home_(home.base) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) place_patch(p, i);
        });
        if constexpr (tabled<Operand>) block.each_lane([&](lane_coord p) { read_table(block, p); });
    }

    /// Starts loading the tile at the current k; all of its depth exists.
    FADE_FN void load(Block& block) { load_edge(block, Layout::depth); }

    /// Starts loading a tile of which only the first `depth` steps of k exist; the others read as zero.
    FADE_FN void load_edge(Block& block, int depth) {
        if constexpr (tabled<Operand>)
            load_by_table(block);
        else if constexpr (Operand::scattered)
            load_scattered(block);
        else
            load_runs(block, from_.depth_now(depth));
    }

    /// Later loads yield zeros and touch no memory.
    FADE_FN void stop(Block& block) {
        if constexpr (tabled<Operand>) return;  // its table says so
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) lanes_[p].offset[i] = backend::outside;
        });
    }

    /// What is copied, from the tile on that was loaded last.
    FADE_FN const Operand& from() const { return from_; }

    /// Moves on by `steps` of k.
    FADE_FN void advance(index steps) { from_.advance(steps); }

    /// Moves on by one of uneven steps, which `walk` has counted.
    template <class Walk>
        requires requires(Operand& from, const Walk& walk) { from.follow(walk); }
    FADE_FN void follow(const Walk& walk) {
        from_.follow(walk);
    }

    /// Reads where the elements of the next step lie.
    FADE_FN void look_ahead(Block& block) {
        if constexpr (tabled<Operand>) {
            from_.next_step(block);
            block.each_lane([&](lane_coord p) { read_table(block, p); });
        }
    }

    /// To the next page of a source's table.
    FADE_FN void next_page(Block& block)
        requires tabled<Operand>
    {
        from_.next_page(block);
    }

    /// Moves on by whole tiles of rows.
    FADE_FN void advance_rows(index rows) { from_.advance_rows(rows); }

    /// Writes what was loaded last into a shared tile.
    FADE_FN void store(Block& block, const shared_tile<Layout>& to) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i)
                if (busy(p, i)) store_patch(block, p, to.base - home_, i);
        });
    }

private:
    FADE_FN static int patch_of(lane_coord p, int i) {
        return i * Block::threads + p.wave * Block::wave_size + p.lane;
    }
    FADE_FN static bool busy(lane_coord p, int i) { return all_busy || patch_of(p, i) < patch::per_tile; }

    FADE_FN std::uint32_t first_offset(int n) const {
        if constexpr (Operand::scattered)
            return 0;
        else if (!from_.holds(patch::row(n), patch::depth(n)) || n >= patch::per_tile)
            return backend::outside;
        else
            return from_.offset(patch::row(n), patch::depth(n));
    }

    FADE_FN static constexpr int load_depth(int j) { return patch::by_rows || patch::width == 1 ? j : 0; }

    /// Every load has an address of its own.
    FADE_FN void load_scattered(Block& block) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) FADE_UNROLL
            for (int j = 0; j < patch::loads; ++j)
                lanes_[p].value[i][j] = load_found(block, patch_of(p, i), load_depth(j));
        });
    }

    /// Loads what the words say that were read before.
    FADE_FN void load_by_table(Block& block) {
        static_assert(patch::by_rows, "tables are read for runs along the rows");
        const auto memory = from_.memory(block);
        block.each_lane([&](lane_coord p) {
            auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) FADE_UNROLL
            for (int j = 0; j < patch::loads; ++j)
                lane.value[i][j] = load_words(memory, lane.offset[i] + lane.table.word(i, j), 0);
        });
    }
    FADE_FN void read_table(Block& block, lane_coord p) {
        FADE_UNROLL
        for (int i = 0; i < patches; ++i) lanes_[p].table.read(block, p, i, from_);
    }

    FADE_FN words load_found(const Block& block, int n, int further) const {
        const bool wanted = n < patch::per_tile;
        const int row = patch::row(n), k = patch::depth(n) + further;
        if constexpr (narrow)
            return {{registers::widened(from_.template load<T>(block, wanted, row, k))}};
        else
            return from_.template load<words>(block, wanted, row, k);
    }

    /// Few steps are partial, unless the source says otherwise.
    FADE_FN static constexpr bool holds_depth(int k, int depth) {
        if constexpr (requires { requires Operand::partial_steps; })
            return k < depth;
        else
            return depth == Layout::depth || k < depth;
    }

    FADE_FN void load_runs(Block& block, int depth) {
        const auto memory = from_.memory(block);
        block.each_lane([&](lane_coord p) {
            auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) FADE_UNROLL
            for (int j = 0; j < patch::loads; ++j) {
                const auto further = std::uint32_t(load_depth(j) * from_.k_stride * index(sizeof(T)));
                const int k = patch::depth(patch_of(p, i)) + load_depth(j);
                // What is read in runs ends with a run; element by element a patch may reach beyond the last
                // k. All is asked at once: a branch around a load costs more than a question.
                const bool deep = holds_depth(k, depth) && (patch::width > 1 || from_.holds_depth(k)),
                           there = deep & lane.conditions.hold(i, from_);
                const std::uint32_t at = lane.offset[i];
                lane.value[i][j] = load_words(memory, there ? +at : backend::outside, further);
            }
        });
    }

    template <class Memory>
    FADE_FN static words load_words(const Memory& memory, std::uint32_t offset, std::uint32_t further) {
        if constexpr (narrow)
            return {{registers::widened(memory.template load<T>(offset, further))}};
        else
            return memory.template load<words>(offset, further);
    }

    /// The register of a patch that holds element (row, k) of the shared tile and those after it along k.
    FADE_FN static std::uint32_t register_at(const lane_state& lane, int i, int row, int k, int part) {
        const auto& v = lane.value[i];
        if constexpr (!std::is_same_v<T, target>)
            return registers::template converted < target,
                   !narrow &&
                       patch::by_rows ==
                           in_lines > ([&](int n) {
                               const int at_k = in_lines ? k : k + n, at_row = in_lines ? row + n : row,
                                         at = patch::by_rows ? at_row : at_k % patch::width;
                               return typename registers::element{v[load_of(at_k)][at / registers::per_word],
                                                                  at % registers::per_word};
                           });
        else if constexpr (narrow || (patch::by_rows && registers::per_word > 1 && !in_lines))
            return registers::column([&](int j) { return v[k + j][row / registers::per_word]; }, row);
        else
            return v[load_of(k)][(patch::by_rows ? row : k % patch::width) * int(sizeof(T)) / 4 + part];
    }
    FADE_FN static constexpr int load_of(int k) { return patch::by_rows ? k : k / patch::width; }

    /// Computes the addresses of a patch once.
    FADE_FN void place_patch(lane_coord p, int i) {
        const int n = patch_of(p, i);
        lanes_[p].offset[i] = first_offset(n);
        Block::keep(lanes_[p].offset[i]);
        lanes_[p].conditions.set(i, from_, patch::row(n));
        lanes_[p].table.set(p, i, from_, patch::row(n), patch::depth(n));
        FADE_UNROLL
        for (int r = 0; r < kept_rows; ++r) FADE_UNROLL
        for (int k = 0; k < kept_k; ++k) {
            std::uint32_t& at = lanes_[p].shared[i][r][k];
            at = home_ + Layout::offset(patch::row(n) + r * piece_rows, patch::depth(n) + k * piece_k);
            Block::keep(at);
        }
    }

    /// A piece is what lies together in both the patch and the shared tile.
    FADE_FN void store_patch(Block& block, lane_coord p, std::uint32_t further, int i) {
        FADE_UNROLL
        for (int r = 0; r < pieces_rows; ++r) FADE_UNROLL
        for (int k = 0; k < pieces_k; ++k) {
            constexpr int size = int(sizeof(target)), count = piece_rows * piece_k * size / 4;
            vec<std::uint32_t, count> out;
            FADE_UNROLL
            for (int g = 0; g < count; ++g) {
                const int e = g * 4 / size;
                out[g] = register_at(lanes_[p], i, r * piece_rows + e / piece_k, k * piece_k + e % piece_k,
                                     g * 4 % size / 4);
            }
            block.store_shared(p,
                               even ? lanes_[p].shared[i][0][0] + (further + distance(r, k))
                                    : lanes_[p].shared[i][r % kept_rows][k % kept_k] + further,
                               out);
        }
    }

    Operand from_;
    std::uint32_t home_;
    per_lane<Block, lane_state> lanes_;
};

/// What copies a source through registers: that loader, or the one of a source whose elements become others
/// on their way.
template <class Block, class T, class Layout, memory_order Order, class Operand>
struct choose_loader {
    using type = tile_loader<Block, T, Layout, Order, Operand>;
};
template <class Block, class T, class Layout, memory_order Order, class Operand>
    requires requires { typename Operand::template loader<Block, Layout>; }
struct choose_loader<Block, T, Layout, Order, Operand> {
    using type = typename Operand::template loader<Block, Layout>;
};
template <class Block, class T, class Layout, memory_order Order, class Operand>
using loader_of = typename choose_loader<Block, T, Layout, Order, Operand>::type;

}  // namespace FADE_NAMESPACE::block
