// From global memory straight into shared memory, without passing through registers.
#pragma once
#include <fade/block/copy.hpp>
#include <fade/block/pipeline.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Copies tiles of an operand whose memory and shared tile are contiguous in the same direction. Copies of a
/// step complete together.
template <class Block, class T, class Layout, memory_order Order, class Source = operand<T>>
class async_loader {
    static_assert(offset_source<Source, Block>,
                  "an asynchronous copy reads an offset_source (block/source/source.hpp)");
    static_assert(std::is_same_v<T, typename Layout::element>, "an asynchronous copy converts nothing");
    using patch = patch_shape<T, Layout, Order>;
    static_assert(patch::elements * sizeof(T) == 16,
                  "an asynchronous copy moves 16 bytes that lie together in memory and in the shared tile");
    static constexpr int patches = patch::per_tile / Block::threads;
    static_assert(
        patch::per_tile % Block::threads == 0,
        "an asynchronous copy gives every lane the same number of 16-byte runs: change the block tile");
    struct lane_state {
        std::uint32_t offset[patches], shared[patches];
        source_conditions<Source, patches> conditions;
    };

public:
    /// Nothing that a loop schedules by hand.
    static constexpr instruction_mix mix{};
    static constexpr instruction_mix mix_ahead{};

    FADE_FN async_loader(Block& block, const Source& from) : from_(from) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int n = patch_of(p, i), row = patch::row(n), k = patch::depth(n);
                lanes_[p].offset[i] = row < from_.rows ? from_.offset(row, k) : backend::outside;
                lanes_[p].conditions.set(i, from_, row);
                lanes_[p].shared[i] = Layout::offset(row, k);
            }
        });
    }

    /// Starts copying the tile at the current k, of which the first `depth` steps of k exist.
    FADE_FN void copy(Block& block, const shared_tile<Layout>& to, int depth) {
        const auto memory = from_.memory(block);
        const int some = from_.depth_now(depth);
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const bool there =
                    (patch::depth(patch_of(p, i)) < some) & lanes_[p].conditions.hold(i, from_);
                block.copy_async(p, to.base + lanes_[p].shared[i], memory,
                                 there ? lanes_[p].offset[i] : backend::outside);
            }
        });
    }

    FADE_FN void advance(index steps) { from_.advance(steps); }
    template <class Walk>
        requires requires(Source& from, const Walk& walk) { from.follow(walk); }
    FADE_FN void follow(const Walk& walk) {
        from_.follow(walk);
    }

private:
    FADE_FN static int patch_of(lane_coord p, int i) {
        return i * Block::threads + p.wave * Block::wave_size + p.lane;
    }

    Source from_;
    per_lane<Block, lane_state> lanes_;
};

/// A ring of shared tiles: step s is multiplied while steps s + 1 to s + Stages - 1 are under way. One
/// barrier a step.
template <int Stages, class Block, class Loaders, class Tiles, class Multiply>
FADE_FN void run_async_ring(Block& block, Loaders& loaders, k_steps steps, int depth, Tiles tiles,
                            Multiply multiply) {
    auto start = [&](int s) {
        const auto to = tiles(s % Stages);
        const int d = s == 0 ? steps.first : depth;
        if (s < steps.count) loaders.copy(block, to, d);
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
