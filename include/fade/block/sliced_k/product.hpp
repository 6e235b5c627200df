// acc += A B^T by waves that share k: each multiplies slices of its own for the whole tile, out of registers.
#pragma once
#include <fade/block/mma.hpp>
#include <fade/wave/memory_reader.hpp>

namespace FADE_NAMESPACE::block {

/// A step is `Slices` slices of k for each wave of the workgroup; that of the next step is in flight while
/// one is multiplied. No wave waits for another.
template <class Block, class Acc, int Slices>
class sliced_product {
    using atom = typename Acc::atom;
    using element = typename atom::element;
    using reader_a = wave::memory_reader<Block, atom, atom::lane_rows, Acc::rows>;
    using reader_b = wave::memory_reader<Block, atom, atom::lane_columns, Acc::columns>;
    static constexpr int parts = reader_a::step / atom::k;

public:
    static constexpr int depth = Block::waves * Slices * reader_a::step;  ///< k of a step

    template <class Sources>
    FADE_FN sliced_product(Block& block, const Sources& from)
        : a_(
              block, from.a,
              [](int lane, int t, int r) {
                  return lane_start{t * atom::m + atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k};
              },
              first_k),
          b_(
              block, from.b,
              [](int lane, int t, int c) {
                  return lane_start{t * atom::n + atom::b_column(lane, c),
                                    atom::k_group(lane) * atom::lane_k};
              },
              first_k) {}

    /// Over the next k_count k of the sources.
    template <class Sources>
    FADE_FN void run(Block& block, Acc& acc, const Sources& from, int k_count) {
        block.each_wave([&](wave_coord w) {
            load(block, w, from, 0, k_count, 0);
            for (int k = 0; k < k_count; k += 2 * depth) {  // twice, so that the set is part of the code
                load(block, w, from, k + depth, k_count, 1);
                multiply(block, w, acc, 0);
                load(block, w, from, k + 2 * depth, k_count, 0);
                multiply(block, w, acc, 1);
            }
        });
    }

private:
    /// Compilers would let loads wait for their use.
    FADE_FN static void keep_order() { Block::template schedule<0>(); }

    FADE_FN static constexpr int first_k(int wave) { return wave * Slices * reader_a::step; }

    template <class Sources>
    FADE_FN void load(Block& block, wave_coord w, Sources from, int k, int k_count, int set) {
        from.a.advance(k), from.b.advance(k);
        const auto a = from.a.memory(block);
        const auto b = from.b.memory(block);
        FADE_UNROLL
        for (int s = 0; s < Slices; ++s) {
            auto to_a = of_a_.of(w, set * Slices + s);
            auto to_b = of_b_.of(w, set * Slices + s);
            b_.load(block, w, b, s, k_count - k, to_b);
            a_.load(block, w, a, s, k_count - k, to_a);
        }
        keep_order();
    }
    FADE_FN void multiply(Block& block, wave_coord w, Acc& acc, int set) {
        FADE_UNROLL
        for (int s = 0; s < Slices; ++s) {
            auto a = of_a_.of(w, set * Slices + s);
            auto b = of_b_.of(w, set * Slices + s);
            wave::mma_all<parts>(block, w, acc, a, b);
        }
        keep_order();
    }

    reader_a a_;
    reader_b b_;
    wave::register_sets<Block, element, atom::lane_rows * atom::lane_k, Acc::rows, 2 * Slices> of_a_;
    wave::register_sets<Block, element, atom::lane_columns * atom::lane_k, Acc::columns, 2 * Slices> of_b_;
};

}  // namespace FADE_NAMESPACE::block
