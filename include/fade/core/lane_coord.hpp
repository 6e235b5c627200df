// Where a register lives: which wave, which lane, and its slot in an object that holds the registers of
// several lanes.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// One lane of one wave of a workgroup. On a GPU an object holds one lane and slot is 0.
struct lane_coord {
    int wave;  ///< of the workgroup
    int lane;  ///< of the wave
    int slot;  ///< of the object that holds its registers
};

/// One wave of a workgroup; `slot` is that of its lane 0.
struct wave_coord {
    int wave;  ///< of the workgroup
    int slot;  ///< of the wave's lane 0
};

/// A T for every lane that one object holds: a register on a GPU, an array in emulation.
template <class Block, class T>
struct per_lane {
    T held[Block::held];  ///< one a lane
    /// That of a lane.
    FADE_FN constexpr T& operator[](lane_coord p) { return held[slot(p.slot)]; }
    /// Likewise.
    FADE_FN constexpr const T& operator[](lane_coord p) const { return held[slot(p.slot)]; }
    /// The lanes of one wave, lane 0 first.
    FADE_FN constexpr T* wave(wave_coord w) { return held + slot(w.slot); }

private:
    FADE_FN static constexpr int slot(int s) {
        if constexpr (Block::held == 1) return 0;
        return s;
    }
};

}  // namespace FADE_NAMESPACE
