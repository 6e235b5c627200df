// A ring of shared memory that boxes fill while others of it are read: a stage is full when its bytes have
// come, and has room again when all that read it have released it.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::block {

/// Of a ring: more are never under way.
inline constexpr int most_box_stages = 12;

/// Batch n of boxes goes to stage n % Stages. `barriers`: 16 bytes of shared memory a stage. Workgroups of a
/// cluster bring boxes for each other, so a stage has room when it was released in all of them; emulated,
/// each brings its own.
template <int Stages, int Cluster = 1>
struct box_ring {
    std::uint32_t barriers;
    static constexpr int bytes = Stages * 16;

    /// All waves call it, producers too; `readers` release each batch.
    template <class Block>
    FADE_FN void begin(Block& block, int readers) const {
        block.one_lane([&] {
            block.begin_arrivals(full(0), Stages);
            block.begin_arrivals(empty(0), Stages, Block::emulated ? readers : readers * Cluster);
        });
        meet(block);
    }
    /// A barrier of all waves of the cluster.
    template <class Block>
    FADE_FN static void meet(Block& block) {
        if constexpr (Block::emulated || Cluster == 1)
            block.meet_producers();
        else
            block.meet_cluster();
    }
    /// Nobody of the cluster uses this workgroup's shared memory from here on.
    template <class Block>
    FADE_FN static void end(Block& block) {
        if constexpr (Cluster > 1) meet(block);
    }
    FADE_FN static int stage(int n) { return int(unsigned(n) % unsigned(Stages)); }

    /// Is there room for batch n? Only emulation may ask.
    template <class Block>
    FADE_FN bool has_room(Block& block, int n) const {
        return n < Stages || block.has_arrived(empty(n), phase(n) - 1);
    }
    /// Waits for room for batch n, of which so many bytes will come.
    template <class Block>
    FADE_FN void acquire(Block& block, int n, int batch_bytes) const {
        if constexpr (!Block::emulated)
            if (n >= Stages) block.await_arrival(empty(n), phase(n) - 1);
        block.expect(full(n), batch_bytes);
    }
    /// Where the boxes of batch n are announced.
    FADE_FN std::uint32_t announces(int n) const { return full(n); }

    /// Waits for batch n.
    template <class Block>
    FADE_FN void await(Block& block, int n) const {
        block.await_arrival(full(n), phase(n));
    }
    /// Batch n has been read: a lane of each four waves says so for them.
    template <class Block>
    FADE_FN void release(Block& block, int n) const {
        if constexpr (Block::emulated || Cluster == 1)
            block.one_lane_of_group([&](int) { block.arrive(empty(n)); });
        else
            block.one_lane_of_group([&](int) {
                for (int rank = 0; rank < Cluster; ++rank) block.arrive_at(empty(n), rank);
            });
        if constexpr (Block::emulated) block.produce_on();
    }

private:
    FADE_FN static int phase(int n) { return int(unsigned(n) / unsigned(Stages)); }
    FADE_FN std::uint32_t full(int n) const { return barriers + std::uint32_t(stage(n) * 8); }
    FADE_FN std::uint32_t empty(int n) const { return barriers + std::uint32_t((Stages + stage(n)) * 8); }
};

}  // namespace FADE_NAMESPACE::block
