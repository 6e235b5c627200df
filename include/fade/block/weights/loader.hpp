// Weights from global memory through registers, where they become numbers, to a shared tile.
#pragma once
#include <fade/block/weights/numbers.hpp>
#include <fade/block/weights/packed_reader.hpp>
#include <fade/block/weights/source.hpp>
#include <fade/core/instruction_mix.hpp>
#include <fade/core/lane_coord.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Copies tile after tile: `load` leaves packed words in flight in registers, with the scales and zeros of
/// their groups; `store` makes numbers of them.
template <class Block, class Layout, weight_format Format, class In>
class weight_loader {
    using source = weight_source<Format, In>;
    using patch = weight_patch<Format, Layout, Block::threads>;
    using packed = weight_words<Format, patch>;
    static constexpr int patches = ceil_div(patch::per_tile, Block::threads);
    static constexpr bool all_busy = patch::per_tile % Block::threads == 0;
    static constexpr bool has_zeros = Format.zero != weight_zero::none;
    struct lane_state {
        std::uint32_t offset[patches];  // of words, bytes from the tile's first
        std::uint32_t shared[patches][patch::pieces_rows][patch::pieces_k];
        packed words[patches];
    };

public:
    /// Instructions of a wave for a tile.
    static constexpr instruction_mix mix{.writes = patches * patch::pieces_rows * patch::pieces_k,
                                         .loads = patches * (patch::loads + (has_zeros ? 2 : 1)),
                                         .vectors = patches * patch::rows * patch::k * 5};
    static constexpr instruction_mix mix_ahead{};

    /// Addresses in shared memory are kept for a tile at `home`.
    FADE_FN weight_loader(Block& block, const source& from, shared_tile<Layout> home = {0})
        : from_(from), home_(home.base) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) place_patch(p, i);
        });
    }

    /// Starts loading the tile at the current k; all of its depth exists.
    FADE_FN void load(Block& block) { load_edge(block, Layout::depth); }

    /// Starts loading a tile of which only the first `depth` steps of k exist; the others read as zero, and
    /// so do their scales.
    FADE_FN void load_edge(Block& block, int depth) {
        const packed_reader<Block, Format, patch, In> reader(block, from_);
        block.each_lane([&](lane_coord p) {
            auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int n = patch_of(p, i), row = patch::row(n), k = patch::depth(n);
                const std::uint32_t beyond = (depth == Layout::depth || k < depth ? 0 : backend::outside) |
                                             (lane.offset[i] & backend::outside);
                reader.read(lane.words[i], row, k, lane.offset[i], beyond, 0);
            }
        });
    }

    /// Later loads yield zeros and touch no memory.
    FADE_FN void stop(Block& block) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) lanes_[p].offset[i] = backend::outside;
        });
    }

    /// Moves on by `steps` of k.
    FADE_FN void advance(index steps) { from_.advance(steps); }
    FADE_FN void look_ahead(Block&) {}

    /// Writes what was loaded last into a shared tile, as numbers.
    FADE_FN void store(Block& block, const shared_tile<Layout>& to) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i)
                if (all_busy || patch_of(p, i) < patch::per_tile) store_patch(block, p, to.base - home_, i);
        });
    }

private:
    FADE_FN static int patch_of(lane_coord p, int i) {
        return i * Block::threads + p.wave * Block::wave_size + p.lane;
    }
    FADE_FN void place_patch(lane_coord p, int i) {
        const int n = patch_of(p, i), row = patch::row(n), depth = patch::depth(n);
        lane_state& lane = lanes_[p];
        const bool there = n < patch::per_tile && row < from_.rows;
        lane.offset[i] = there ? from_.offset(row, depth) : backend::outside;
        Block::keep(lane.offset[i]);
        FADE_UNROLL
        for (int r = 0; r < patch::pieces_rows; ++r) FADE_UNROLL
        for (int k = 0; k < patch::pieces_k; ++k) {
            std::uint32_t& at = lane.shared[i][r][k];
            at = home_ + Layout::offset(row + r * patch::piece_rows, depth + k * patch::piece_k);
            Block::keep(at);
        }
    }

    FADE_FN void store_patch(Block& block, lane_coord p, std::uint32_t further, int i) {
        const lane_state& lane = lanes_[p];
        const int n = patch_of(p, i);
        const weight_numbers<Block, Format, patch, In> numbers(lane.words[i], patch::row(n), patch::depth(n));
        FADE_UNROLL
        for (int r = 0; r < patch::pieces_rows; ++r) FADE_UNROLL
        for (int k = 0; k < patch::pieces_k; ++k) {
            vec<std::uint32_t, patch::piece_words> out{};
            FADE_UNROLL
            for (int g = 0; g < patch::piece_words; ++g) {
                const int e = g * 4 / patch::size;
                out[g] = numbers.word(lane.words[i], r * patch::piece_rows + e / patch::piece_k,
                                      k * patch::piece_k + e % patch::piece_k);
            }
            block.store_shared(p, lane.shared[i][r][k] + further, out);
        }
    }

    source from_;
    std::uint32_t home_;
    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block
