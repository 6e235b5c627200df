// From global memory straight into shared memory, without passing through registers.
#pragma once
#include <fade/block/copy.hpp>
#include <fade/block/pipeline.hpp>

namespace FADE_NAMESPACE::block {

/// Copies tiles of an operand whose memory and shared tile are contiguous in the same direction. Copies of a
/// step complete together.
template <class Block, class T, class Layout, memory_order Order>
class async_loader {
    using patch = patch_shape<T, Layout, Order>;
    static_assert(patch::elements * sizeof(T) == 16,
                  "an asynchronous copy moves 16 bytes that lie together in memory and in the shared tile");
    static constexpr int patches = patch::per_tile / Block::threads;
    static_assert(
        patch::per_tile % Block::threads == 0,
        "an asynchronous copy gives every lane the same number of 16-byte runs: change the block tile");
    struct lane_state {
        std::uint32_t offset[patches], shared[patches];
    };

public:
    FADE_FN async_loader(Block& block, const operand<T>& from) : from_(from) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int n = patch_of(p, i);
                lanes_[p].offset[i] = patch::row(n) < from_.rows
                                          ? std::uint32_t((patch::row(n) * from_.row_stride +
                                                           patch::depth(n) * from_.k_stride) *
                                                          index(sizeof(T)))
                                          : backend::outside;
                lanes_[p].shared[i] = Layout::offset(patch::row(n), patch::depth(n));
            }
        });
    }

    /// Starts copying the tile at the current k, of which the first `depth` steps of k exist, and moves on.
    FADE_FN void copy(Block& block, const shared_tile<Layout>& to, int depth) {
        const auto memory = block.global(from_.tile, from_.begin, from_.end);
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i)
                block.copy_async(p, to.base + lanes_[p].shared[i], memory,
                                 patch::depth(patch_of(p, i)) < depth ? lanes_[p].offset[i]
                                                                      : backend::outside);
        });
        from_.tile += depth * from_.k_stride;
    }

private:
    FADE_FN static int patch_of(lane_coord p, int i) {
        return i * Block::threads + p.wave * Block::wave_size + p.lane;
    }

    operand<T> from_;
    per_lane<Block, lane_state> lanes_;
};

/// A ring of shared tiles: step s is multiplied while steps s + 1 to s + Stages - 1 are under way. One
/// barrier a step.
template <int Stages, class Block, class LoadA, class LoadB, class Tiles, class Multiply>
FADE_FN void run_async_ring(Block& block, LoadA& a, LoadB& b, k_steps steps, int depth, Tiles tiles,
                            Multiply multiply) {
    auto start = [&](int s) {
        const auto to = tiles(s % Stages);
        const int d = s == 0 ? steps.first : depth;
        if (s < steps.count) a.copy(block, to.a, d), b.copy(block, to.b, d);
        block.commit_async();
    };
    FADE_UNROLL
    for (int s = 0; s < Stages - 1; ++s) start(s);
    for (int s = 0; s < steps.count; ++s) {
        block.template wait_async<Stages - 2>();
        block.sync();
        start(s + Stages - 1);
        multiply(tiles(s % Stages));
    }
}

}  // namespace FADE_NAMESPACE::block
