// How many instructions of each kind a stretch of a kernel holds.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Of one wave: reads of shared memory, register moves that prepare writes, writes to shared memory, loads of
/// global memory; scalar and other vector instructions that may stand anywhere.
struct instruction_mix {
    int reads = 0, moves = 0, writes = 0, loads = 0, scalars = 0, vectors = 0;
    constexpr int memory() const { return reads + writes + loads; }
};

/// What stands behind each matrix product of a stretch: exponentials, reads of shared memory, and other
/// vector instructions.
struct vector_mix {
    int exponentials = 0, reads = 0, others = 0;
};

}  // namespace FADE_NAMESPACE
