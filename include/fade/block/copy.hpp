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
template <class Block, class T, class Layout, memory_order Order>
class tile_loader {
    using patch = patch_shape<T, Layout, Order>;
    using target = typename Layout::element;
    static constexpr int patches = ceil_div(patch::per_tile, Block::threads);
    static constexpr bool all_busy = patch::per_tile % Block::threads == 0;
    struct lane_state {
        std::uint32_t offset[patches];
        vec<T, patch::width> value[patches][patch::loads];
    };

public:
    FADE_FN tile_loader(Block& block, const operand<T>& from) : from_(from) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) lanes_[p].offset[i] = first_offset(patch_of(p, i));
        });
    }

    /// Starts loading the tile at the current k; all of its depth exists.
    FADE_FN void load(Block& block) { load_some(block, Layout::depth); }

    /// Starts loading a tile of which only the first `depth` steps of k exist; the others read as zero.
    FADE_FN void load_edge(Block& block, int depth) { load_some(block, depth); }

    /// Moves on by `steps` of k.
    FADE_FN void advance(index steps) { from_.tile += steps * from_.k_stride; }

    /// Writes what was loaded last into a shared tile.
    FADE_FN void store(Block& block, const shared_tile<Layout>& to) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i)
                if (busy(p, i)) store_patch(block, p, to, i);
        });
    }

private:
    FADE_FN static int patch_of(place p, int i) { return i * Block::threads + p.wave * Block::wave_size + p.lane; }
    FADE_FN static bool busy(place p, int i) { return all_busy || patch_of(p, i) < patch::per_tile; }

    FADE_FN std::uint32_t first_offset(int n) const {
        if (patch::row(n) >= from_.rows || n >= patch::per_tile) return backend::outside;
        return std::uint32_t((patch::row(n) * from_.row_stride + patch::depth(n) * from_.k_stride) * index(sizeof(T)));
    }

    /// Where load j of a patch begins, in bytes from its first element, and at which k.
    FADE_FN std::uint32_t load_offset(int j) const { return std::uint32_t(load_depth(j) * from_.k_stride * index(sizeof(T))); }
    FADE_FN static constexpr int load_depth(int j) { return patch::by_rows || patch::width == 1 ? j : 0; }

    FADE_FN void load_some(Block& block, int depth) {
        const auto memory = block.global(from_.tile, from_.begin, from_.end);
        block.each_lane([&](place p) {
            auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) FADE_UNROLL
                for (int j = 0; j < patch::loads; ++j) {
                    // An offset of a missing row has bit 31 set and keeps it: a tile spans less than 2 GiB.
                    const std::uint32_t at = lane.offset[i] + load_offset(j);
                    const bool there = depth == Layout::depth || patch::depth(patch_of(p, i)) + load_depth(j) < depth;
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

    FADE_FN void store_patch(Block& block, place p, const shared_tile<Layout>& to, int i) {
        const int n = patch_of(p, i), row = patch::row(n), depth = patch::depth(n);
        if constexpr (Layout::order == operand_order::k_contiguous) store_along_k(block, p, to, i, row, depth);
        else store_along_rows(block, p, to, i, row, depth);
    }

    FADE_FN void store_along_k(Block& block, place p, const shared_tile<Layout>& to, int i, int row, int depth) {
        constexpr int piece = least(patch::k, 16 / int(sizeof(target)));
        FADE_UNROLL
        for (int r = 0; r < patch::rows; ++r) FADE_UNROLL
            for (int k = 0; k < patch::k; k += piece) {
                vec<target, piece> out;
                FADE_UNROLL
                for (int e = 0; e < piece; ++e) out[e] = element_of(lanes_[p], i, r, k + e);
                block.store_shared(p, to.at(row + r, depth + k), out);
            }
    }

    FADE_FN void store_along_rows(Block& block, place p, const shared_tile<Layout>& to, int i, int row, int depth) {
        constexpr int pack = Layout::k_run, piece_rows = least(patch::rows, most(16 / int(sizeof(target)) / pack, 1));
        FADE_UNROLL
        for (int k = 0; k < patch::k; k += pack) FADE_UNROLL
            for (int r = 0; r < patch::rows; r += piece_rows) {
                vec<target, piece_rows * pack> out;
                FADE_UNROLL
                for (int e = 0; e < piece_rows * pack; ++e) out[e] = element_of(lanes_[p], i, r + e / pack, k + e % pack);
                block.store_shared(p, to.at(row + r, depth + k), out);
            }
    }

    operand<T> from_;
    per_lane<Block, lane_state> lanes_;
};

}  // namespace fade::block
