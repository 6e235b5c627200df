// From global memory through registers to a shared tile. Addresses are computed once, before the loop over k.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/operand.hpp>
#include <fade/block/shared_layout.hpp>
#include <fade/core/place.hpp>
#include <fade/core/vec.hpp>

namespace fade::block {

/// The patch of a tile that a lane moves at once: `rows` x `k` elements, loaded in `loads` vectors.
template <class T, class Layout, memory_order Order>
struct patch_shape {
    static constexpr int wide = 16 / int(sizeof(T));
    static constexpr bool by_rows = Order == memory_order::row_contiguous;
    // Turning rows into columns: as many k as the shared tile keeps together, few enough rows that all lanes have work.
    static constexpr int k = by_rows ? Layout::k_run : least(wide, Layout::depth);
    static constexpr int rows = !by_rows ? 1 : Layout::order == operand_order::k_contiguous ? 4 : wide;
    static constexpr int width = Order == memory_order::strided ? 1 : by_rows ? rows : k;
    static constexpr int elements = rows * k, loads = elements / width;
    static constexpr int per_tile = Layout::rows * Layout::depth / elements;
    static constexpr int first_count = by_rows ? Layout::rows / rows : Layout::depth / k;

    /// Neighbouring lanes take neighbouring memory.
    FADE_FN static constexpr int row(int patch) { return by_rows ? patch % first_count * rows : patch / first_count; }
    FADE_FN static constexpr int depth(int patch) { return by_rows ? patch / first_count * k : patch % first_count * k; }
};

/// Copies tile after tile of an operand. `load` leaves values in flight in registers, `store` puts them into shared memory.
template <class Block, class T, class Layout, memory_order Order, class Operand = operand<T>>
class tile_loader {
    using patch = patch_shape<T, Layout, Order>;
    using target = typename Layout::element;
    static constexpr int patches = ceil_div(patch::per_tile, Block::threads);
    static constexpr bool along_k = Layout::order == operand_order::k_contiguous;
    static constexpr bool all_busy = patch::per_tile % Block::threads == 0;
    static constexpr int piece_k = along_k ? least(patch::k, 16 / int(sizeof(target))) : Layout::k_run;
    static constexpr int piece_rows = along_k ? 1 : least(patch::rows, most(16 / int(sizeof(target)) / piece_k, 1));
    static constexpr int pieces_k = patch::k / piece_k, pieces_rows = patch::rows / piece_rows;
    struct lane_state {
        std::uint32_t offset[patches];                        // in global memory, bytes from the tile's first element
        std::uint32_t shared[patches][pieces_rows][pieces_k];  // in a shared tile
        vec<T, patch::width> value[patches][patch::loads];
    };

public:
    FADE_FN tile_loader(Block& block, const Operand& from) : from_(from) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) place_patch(p, i);
        });
    }

    /// Starts loading the tile at the current k; all of its depth exists.
    FADE_FN void load(Block& block) { load_some(block, Layout::depth); }

    /// Starts loading a tile of which only the first `depth` steps of k exist; the others read as zero.
    FADE_FN void load_edge(Block& block, int depth) { load_some(block, depth); }

    /// Later loads yield zeros and touch no memory.
    FADE_FN void stop(Block& block) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) lanes_[p].offset[i] = backend::outside;
        });
    }

    /// Moves on by `steps` of k.
    FADE_FN void advance(index steps) { from_.tile += steps * from_.k_stride; }

    /// Moves on by whole tiles of rows.
    FADE_FN void advance_rows(index rows) { from_.tile += rows * from_.row_stride; }

    /// Writes what was loaded last into a shared tile.
    FADE_FN void store(Block& block, const shared_tile<Layout>& to) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i)
                if (busy(p, i)) store_patch(block, p, to.base, i);
        });
    }

private:
    FADE_FN static int patch_of(place p, int i) { return i * Block::threads + p.wave * Block::wave_size + p.lane; }
    FADE_FN static bool busy(place p, int i) { return all_busy || patch_of(p, i) < patch::per_tile; }

    FADE_FN std::uint32_t first_offset(int n) const {
        if (!from_.holds(patch::row(n), patch::depth(n)) || n >= patch::per_tile) return backend::outside;
        return std::uint32_t((patch::row(n) * from_.row_stride + patch::depth(n) * from_.k_stride) * index(sizeof(T)));
    }

    /// Where load j of a patch begins, in bytes from its first element, and at which k.
    FADE_FN std::uint32_t load_offset(int j) const { return std::uint32_t(load_depth(j) * from_.k_stride * index(sizeof(T))); }
    FADE_FN static constexpr int load_depth(int j) { return patch::by_rows || patch::width == 1 ? j : 0; }

    FADE_FN void load_some(Block& block, int depth) {
        const auto memory = from_.memory(block);
        block.each_lane([&](place p) {
            auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) FADE_UNROLL
                for (int j = 0; j < patch::loads; ++j) {
                    // An offset of a missing row has bit 31 set and keeps it: a tile spans less than 2 GiB.
                    const std::uint32_t at = lane.offset[i] + load_offset(j);
                    const int k = patch::depth(patch_of(p, i)) + load_depth(j);
                    // What is read in runs ends with a run; element by element a patch may reach beyond the last k.
                    const bool there = (depth == Layout::depth || k < depth) && (patch::width > 1 || from_.holds_depth(k));
                    lane.value[i][j] = memory.template load<vec<T, patch::width>>(there ? at : backend::outside);
                }
        });
    }

    /// Element (row, k) of a patch among the vectors that were loaded.
    FADE_FN static target element_of(const lane_state& lane, int i, int row, int k) {
        if constexpr (patch::by_rows) return convert<target>(lane.value[i][k][row]);
        else if constexpr (patch::width == 1) return convert<target>(lane.value[i][k][0]);
        else return convert<target>(lane.value[i][0][k]);
    }

    /// Computes the addresses of a patch once.
    FADE_FN void place_patch(place p, int i) {
        const int n = patch_of(p, i);
        lanes_[p].offset[i] = first_offset(n);
        Block::keep(lanes_[p].offset[i]);
        FADE_UNROLL
        for (int r = 0; r < pieces_rows; ++r) FADE_UNROLL
            for (int k = 0; k < pieces_k; ++k) {
                std::uint32_t& at = lanes_[p].shared[i][r][k];
                at = Layout::offset(patch::row(n) + r * piece_rows, patch::depth(n) + k * piece_k);
                Block::keep(at);
            }
    }

    /// A piece is what lies together in both the patch and the shared tile.
    FADE_FN void store_patch(Block& block, place p, std::uint32_t base, int i) {
        FADE_UNROLL
        for (int r = 0; r < pieces_rows; ++r) FADE_UNROLL
            for (int k = 0; k < pieces_k; ++k) {
                vec<target, piece_rows * piece_k> out;
                FADE_UNROLL
                for (int e = 0; e < piece_rows * piece_k; ++e) out[e] = element_of(lanes_[p], i, r * piece_rows + e / piece_k, k * piece_k + e % piece_k);
                block.store_shared(p, base + lanes_[p].shared[i][r][k], out);
            }
    }

    Operand from_;
    per_lane<Block, lane_state> lanes_;
};

}  // namespace fade::block
