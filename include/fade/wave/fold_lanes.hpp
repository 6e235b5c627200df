// One value a lane, combined over all lanes of a wave.
#pragma once
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::wave {

/// What the lane whose number differs in the bits of `mask` holds; `values` are those of the wave's lanes.
template <class Block, class T>
FADE_FN T shuffled(lane_coord p, const T* values, int mask) {
    static_assert(sizeof(T) % 4 == 0, "lanes exchange whole registers");
    constexpr int words = int(sizeof(T)) / 4;
    vec<float, words> out;
    FADE_UNROLL
    for (int i = 0; i < words; ++i) {
        float word[Block::wave_held];
        for (int lane = 0; lane < Block::wave_held; ++lane)
            word[lane] = __builtin_bit_cast(vec<float, words>, values[lane])[i];
        out[i] = Block::shuffle_xor(p, word, mask);
    }
    return __builtin_bit_cast(T, out);
}

/// So many neighbours of a wave, from `first` on, get op over their values, in one order; op is commutative.
template <int Lanes, class Block, class T, class Op>
FADE_FN void fold_neighbours(Block& block, wave_coord w, int first, T* values, Op op) {
    FADE_UNROLL
    for (int mask = 1; mask < Lanes; mask *= 2) {
        T before[Block::wave_held];
        for (int i = 0; i < Block::wave_held; ++i) before[i] = values[i];
        block.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
            if (Block::emulated && unsigned(p.lane - first) >= unsigned(Lanes)) return;
            const int slot = Block::wave_held == 1 ? 0 : p.lane;
            values[slot] = op(before[slot], shuffled<Block>(p, before, mask));
        });
    }
}

/// All lanes of a wave get op over their values, in one order; op is commutative. Some machines fold words by
/// an instruction.
template <class Block, class T, class Op>
FADE_FN void fold_lanes(Block& block, wave_coord w, T* values, Op op) {
    if constexpr (requires { Block::fold_wave(values[0], op); }) {
        values[0] = Block::fold_wave(values[0], op);
    } else if constexpr (Block::wave_size > 1) {
        fold_neighbours<Block::wave_size>(block, w, 0, values, op);
    }
}

}  // namespace FADE_NAMESPACE::wave
