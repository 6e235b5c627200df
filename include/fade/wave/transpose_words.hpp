// Neighbouring lanes exchange words, so that each gets what the others hold at one place.
#pragma once
#include <fade/wave/reduce.hpp>

namespace FADE_NAMESPACE::wave {

/// Word j of lane q becomes word q of lane j, among each Lanes neighbours (a power of two).
template <class Block, int Lanes>
FADE_FN void transpose_words(Block& block, wave_coord w, lane_values<Block, vec<float, Lanes>>& words) {
    FADE_UNROLL
    for (int mask = 1; mask < Lanes; mask *= 2) FADE_UNROLL
    for (int j = 0; j < Lanes; ++j) {
        if (j & mask) continue;
        lane_values<Block, float> sent;
        block.each_lane_of(w, [&](lane_coord p) {
            sent.at(p.lane) = p.lane & mask ? words.at(p.lane)[j] : words.at(p.lane)[j + mask];
        });
        block.each_lane_of(w, [&](lane_coord p) {
            auto& mine = words.at(p.lane);
            const float got = Block::shuffle_xor(p, sent.held, mask);
            const bool upper = p.lane & mask;
            mine[j] = upper ? got : mine[j];
            mine[j + mask] = upper ? mine[j + mask] : got;
        });
    }
}

}  // namespace FADE_NAMESPACE::wave
