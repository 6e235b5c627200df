// Reductions of rows: of an accumulator, and of an operand in shared memory.
#pragma once
#include <fade/block/tile/accumulator.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::tile {

/// op over each row, op(a, b) being one of two values or their sum; it is commutative.
template <class Block, class Acc, class Op>
FADE_FN row_values<Block, Acc> row_reduce(Block& block, Acc& acc, Op op) {
    using atom = typename Acc::atom;
    row_values<Block, Acc> out;
    block.each_wave([&](wave_coord w) {
        FADE_UNROLL
        for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
        for (int c = 0; c < Acc::slots; ++c) {
            wave::lane_values<Block, float> found;
            block.each_lane_of(w, [&](lane_coord p) {
                float& value = found.at(p.lane) = acc.at(p, 0, j)[c];
                FADE_UNROLL
                for (int n = 1; n < Acc::row_atoms * Acc::slot_size; ++n)
                    value = op(value, acc.at(p, n / Acc::slot_size, j)[n % Acc::slot_size * Acc::slots + c]);
            });
            wave::share_columns<atom>(block, w, found, op);
            block.each_lane_of(w, [&](lane_coord p) { out.at(p, j, c) = found.at(p.lane); });
        }
    });
    return out;
}

template <class Block, class Acc>
FADE_FN auto row_max(Block& block, Acc& acc) {
    return row_reduce(block, acc, [](float a, float b) { return Block::maximum(a, b); });
}
template <class Block, class Acc>
FADE_FN auto row_sum(Block& block, Acc& acc) {
    return row_reduce(block, acc, [](float a, float b) { return a + b; });
}

/// How many lanes share a row of an accumulator, and the which of them a lane is.
template <class Atom>
inline constexpr int row_sharers = [] {
    int lanes = 1;
    for (int bits = wave::column_sharers<Atom>(); bits > 0; bits &= bits - 1) lanes *= 2;
    return lanes;
}();
template <class Atom>
FADE_FN constexpr int place_among_sharers(int lane) {
    int at = 0, bit = 1;
    FADE_UNROLL
    for (int mask = 1; mask < Atom::lanes; mask *= 2)
        if (wave::column_sharers<Atom>() & mask) at += lane & mask ? bit : 0, bit *= 2;
    return at;
}

/// Adds f(element), summed over the depth of operand A, to the value of each row. All waves call it, and have
/// synchronised since the tile was written.
template <class Block, class Acc, class A, class F>
FADE_FN void add_rows(Block& block, row_values<Block, Acc>& values, const A& tile, F f) {
    using atom = typename Acc::atom;
    using layout = typename A::layout;
    using element = typename layout::element;
    static_assert(Acc::tile_rows == A::rows, "values of rows belong to an accumulator of the tile's rows");
    constexpr bool along_k = layout::order == block::operand_order::k_contiguous;
    constexpr int run = along_k ? 16 / int(sizeof(element)) : layout::k_run, sharers = row_sharers<atom>;
    block.each_wave([&](wave_coord w) {
        FADE_UNROLL
        for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
        for (int c = 0; c < Acc::slots; ++c) {
            wave::lane_values<Block, float> found;
            block.each_lane_of(w, [&](lane_coord p) {
                float sum = 0;
                FADE_UNROLL
                for (int k = 0; k < A::depth; k += run * sharers) {
                    const int first = k + place_among_sharers<atom>(p.lane) * run;
                    if (first >= A::depth) continue;
                    const auto part = block.template load_shared<vec<element, run>>(
                        p, tile.base + layout::offset(Acc::row_at(p, j, c), first));
                    FADE_UNROLL
                    for (int e = 0; e < run; ++e) sum += f(fade::convert<float>(part[e]));
                }
                found.at(p.lane) = sum;
            });
            wave::share_columns<atom>(block, w, found, [](float a, float b) { return a + b; });
            block.each_lane_of(w, [&](lane_coord p) { values.at(p, j, c) += found.at(p.lane); });
        }
    });
}

}  // namespace FADE_NAMESPACE::tile
