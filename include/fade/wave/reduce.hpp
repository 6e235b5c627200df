// Reductions over the rows of accumulators: one value a column, held by every lane that owns a part of the
// column.
#pragma once
#include <fade/core/lane_coord.hpp>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::wave {

/// One value a lane for one wave.
template <class Block, class T>
struct lane_values {
    T held[Block::wave_held];
    FADE_FN constexpr T& at(int lane) {
        if constexpr (Block::wave_held == 1)
            return held[0];
        else
            return held[lane];
    }
};

/// The bits of a lane's number in which the lanes that share its columns differ.
template <class Atom>
constexpr int column_sharers() {
    int bits = 0;
    for (int mask = 1; mask < Atom::lanes; mask *= 2)
        if (Atom::d_at(0, 0).minor == Atom::d_at(mask, 0).minor) bits |= mask;
    return bits;
}

/// Combines a value over all lanes that share a column; op is commutative.
template <class Atom, class Block, class Op>
FADE_FN void share_columns(Block& block, wave_coord w, lane_values<Block, float>& values, Op op) {
    constexpr int sharers = column_sharers<Atom>();
    FADE_UNROLL
    for (int mask = 1; mask < Atom::lanes; mask *= 2)
        if (sharers & mask) {
            lane_values<Block, float> before = values;
            block.each_lane_of(w, [&](lane_coord p) {
                values.at(p.lane) = op(before.at(p.lane), Block::shuffle_xor(p, before.held, mask));
            });
        }
}

}  // namespace FADE_NAMESPACE::wave
