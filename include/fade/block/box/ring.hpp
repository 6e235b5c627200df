// A ring of shared memory that boxes fill while others of it are read: a stage is full when its bytes have
// come, and has room again when all that read it have released it.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::block {

/// Of a ring: more are never under way.
inline constexpr int most_box_stages = 12;

/// Batches of boxes go to one stage behind the other, in turns. `barriers`: 16 bytes of shared memory a
/// stage. Workgroups of a cluster bring boxes for each other, so a stage has room when it was released in all
/// of them; emulated, each brings its own.
template <int Stages, int Cluster = 1>
struct box_ring {
    std::uint32_t barriers;
    static constexpr int bytes = Stages * 16;

    /// All waves call it, producers too, and then meet(); `readers` release each batch.
    template <class Block>
    FADE_FN void begin(Block& block, int readers) const {
        block.one_lane([&] {
            block.begin_arrivals(full({}), Stages);
            block.begin_arrivals(empty({}), Stages, Block::emulated ? readers : readers * Cluster);
        });
        if constexpr (!Block::emulated && Cluster > 1) block.arrive_quietly();
    }
    /// Barriers of all of the cluster are there from then on.
    template <class Block>
    FADE_FN static void meet(Block& block) {
        if constexpr (Block::emulated || Cluster == 1)
            block.meet_producers();
        else
            block.await_cluster();
    }

    /// Of a batch: counted on step by step, since a division would take as long as the products of a small
    /// tile's step.
    struct place {
        int stage = 0, phase = 0;
    };
    FADE_FN static constexpr place behind(place at) {
        return at.stage + 1 == Stages ? place{0, at.phase + 1} : place{at.stage + 1, at.phase};
    }

    /// Is there room for a batch? Only emulation may ask.
    template <class Block>
    FADE_FN bool has_room(Block& block, place at) const {
        return at.phase == 0 || block.has_arrived(empty(at), at.phase - 1);
    }
    /// Waits for room for a batch, of which so many bytes will come.
    template <class Block>
    FADE_FN void acquire(Block& block, place at, int batch_bytes) const {
        if constexpr (!Block::emulated)
            if (at.phase > 0) block.await_arrival(empty(at), at.phase - 1);
        block.expect(full(at), batch_bytes);
    }
    /// Waits, before the first batch that is not brought, until all others of the cluster have released what
    /// was: nobody of it uses this workgroup's shared memory from then on.
    template <class Block>
    FADE_FN void drain(Block& block, place at) const {
        if constexpr (!Block::emulated && Cluster > 1)
            for (int i = 0; i < Stages; ++i, at = behind(at))
                if (at.phase > 0) block.await_arrival(empty(at), at.phase - 1);
    }
    /// Where the boxes of a batch are announced.
    FADE_FN std::uint32_t announces(place at) const { return full(at); }

    /// Waits for a batch.
    template <class Block>
    FADE_FN void await(Block& block, place at) const {
        block.await_arrival(full(at), at.phase);
    }
    /// A batch has been read: a lane of each four waves says so for them.
    template <class Block>
    FADE_FN void release(Block& block, place at) const {
        if constexpr (Block::emulated || Cluster == 1)
            block.one_lane_of_group([&](int) { block.arrive(empty(at)); });
        else
            block.one_lane_of_group([&](int) {
                for (int rank = 0; rank < Cluster; ++rank) block.arrive_at(empty(at), rank);
            });
        if constexpr (Block::emulated) block.produce_on();
    }

private:
    FADE_FN std::uint32_t full(place at) const { return barriers + std::uint32_t(at.stage * 8); }
    FADE_FN std::uint32_t empty(place at) const { return full(at) + std::uint32_t(Stages * 8); }
};

}  // namespace FADE_NAMESPACE::block
