// How many instructions of each kind a stretch of a kernel holds.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Of one wave: reads of shared memory, register moves that prepare writes, writes to shared memory, loads of
/// global memory; scalar and other vector instructions that may stand anywhere. `shared_moves`: of each two
/// writes the first needs three quarters of the moves, half of which serve both. Behind each `row` of
/// products, which begin early, stand `row_reads` more reads, into the registers that it has multiplied.
struct instruction_mix {
    int reads = 0, moves = 0, writes = 0, loads = 0, scalars = 0, vectors = 0;
    bool shared_moves = false;
    int row = 0, row_reads = 0;
    constexpr int memory() const { return reads + writes + loads; }
    /// What stores a tile, and what loads one.
    constexpr instruction_mix stores() const {
        return {.moves = moves, .writes = writes, .shared_moves = shared_moves};
    }
    constexpr instruction_mix fetches() const { return {.loads = loads, .scalars = scalars}; }
    /// Those that stand before the i-th write.
    constexpr int moves_before(int i) const {
        if (!shared_moves) return (i + 1) * moves / writes - i * moves / writes;
        return moves / (writes / 2) * (i % 2 == 0 ? 3 : 1) / 4;
    }
};

/// What stands behind each matrix product of a stretch: exponentials, reads of shared memory, and other
/// vector instructions.
struct vector_mix {
    int exponentials = 0, reads = 0, others = 0;
};

}  // namespace FADE_NAMESPACE
