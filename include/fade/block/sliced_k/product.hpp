// acc += A B^T by waves that share k: each multiplies slices of its own for the whole tile, out of registers.
#pragma once
#include <fade/block/sliced_k/rows.hpp>

namespace FADE_NAMESPACE::block {

/// A step is `Slices` slices of k for each wave of the workgroup; that of the next step is in flight while
/// one is multiplied. No wave waits for another.
template <class Block, class Acc, int Slices, int Joined, class Sources>
class sliced_product {
    using atom = typename Acc::atom;
    using rows_of_a = typename choose_sliced_rows<Block, atom, Acc::rows, Slices, decltype(Sources::a)>::type;
    using columns_of_b =
        typename choose_sliced_columns<Block, atom, Acc::columns, Slices, decltype(Sources::b)>::type;
    static constexpr int slice = atom::lane_k * atom::k_groups, parts = slice / atom::k;

public:
    static constexpr int depth = Block::waves * Slices * slice;  ///< k of a step

    FADE_FN sliced_product(Block& block, const Sources& from)
        : from_(from),
          a_(block, from.a, [](int lane, int tile, int r) { return tile * atom::m + atom::a_row(lane, r); }),
          b_(block, from.b, [](int lane, int tile, int c) {
              return sliced_columns<atom, Joined>::in_tile(tile, atom::b_column(lane, c));
          }) {}

    /// Over the next k_count k of the sources.
    FADE_FN void run(Block& block, Acc& acc, int k_count) {
        block.each_wave([&](wave_coord w) {
            load(block, w, 0, k_count, 0);
            for (int k = 0; k < k_count; k += 2 * depth) {  // twice, so that the set is part of the code
                load(block, w, k + depth, k_count, 1);
                multiply(block, w, acc, 0);
                load(block, w, k + 2 * depth, k_count, 0);
                multiply(block, w, acc, 1);
            }
        });
    }

private:
    /// Compilers would let loads wait for their use.
    FADE_FN static void keep_order() { Block::template schedule<0>(); }

    FADE_FN void load(Block& block, wave_coord w, int k, int k_count, int set) {
        Sources now = from_;
        now.a.advance(k), now.b.advance(k);
        a_.load(block, w, now.a, k_count - k, set);
        b_.load(block, w, now.b, k_count - k, set);
        keep_order();
    }
    FADE_FN void multiply(Block& block, wave_coord w, Acc& acc, int set) {
        FADE_UNROLL
        for (int s = 0; s < Slices; ++s) {
            auto a = a_.slice(block, w, set, s);
            auto b = b_.slice(block, w, set, s);
            if constexpr (requires { columns_of_b::arrange(block, w, a); })
                columns_of_b::arrange(block, w, a);
            wave::mma_all<parts>(block, w, acc, a, b);
        }
        keep_order();
    }

    const Sources from_;
    rows_of_a a_;
    columns_of_b b_;
};

}  // namespace FADE_NAMESPACE::block
