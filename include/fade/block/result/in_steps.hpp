// The elements of accumulators where what they go through is long: one code for all, which a wave runs in
// steps. A step takes what a lane holds of a row or two of an atom, in all atoms of that row.
#pragma once
#include <fade/block/result/each_result.hpp>
#include <fade/core/vec.hpp>
#include <fade/wave/keep.hpp>

namespace FADE_NAMESPACE::block {

/// f(std::integral_constant<int, step>), by branches: an index that is not a constant sends an array of
/// registers to scratch memory.
template <int First, int Last, class F>
FADE_FN void with_constant(int step, const F& f) {
    if constexpr (Last - First == 1) {
        f(std::integral_constant<int, First>{});
    } else {
        constexpr int middle = First + (Last - First) / 2;
        if (step < middle)
            with_constant<First, middle>(step, f);
        else
            with_constant<middle, Last>(step, f);
    }
}

/// The registers of steps that take `Each` of an atom.
template <class Acc, int Each>
struct result_steps {
    static constexpr int in_atom = Acc::atom::d_size / Each, count = Acc::rows * in_atom;
    using held = vec<typename Acc::element, Each * Acc::columns>;

    FADE_FN static int row_of_atoms(int step) { return step / in_atom; }
    FADE_FN static int first_register(int step) { return step % in_atom * Each; }

    /// What a lane holds, the registers of an atom together. Fenced: branches that only copy would become one
    /// copy from any register, whose number is no constant.
    template <class Block>
    FADE_FN static held at(Acc& acc, lane_coord p, int step) {
        held out;
        with_constant<0, count>(step, [&](auto now) FADE_LAMBDA {
            FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
            for (int e = 0; e < Each; ++e)
                out[j * Each + e] =
                    wave::in_lanes<Block>(acc.at(p, now / in_atom, j)[now % in_atom * Each + e]);
        });
        return out;
    }
};

/// As each_result(), by steps of `Each` registers of an atom.
template <class Grid, int Each = 1, class Block, class Acc, class F>
FADE_FN void each_result_in_steps(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    using steps = result_steps<Acc, Each>;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_ROLLED
        for (int step = 0; step < steps::count; ++step) {
            const auto held = steps::template at<Block>(acc, p, step);
            FADE_UNROLL
            for (int e = 0; e < Each; ++e) {
                const auto in_atom = atom::d_at(p.lane, steps::first_register(step) + e);
                FADE_UNROLL
                for (int j = 0; j < Acc::columns; ++j)
                    f(Grid::row_of(p.wave) + steps::row_of_atoms(step) * atom::m + in_atom.major,
                      Grid::column_of(p.wave) + j * atom::n + in_atom.minor, held[j * Each + e]);
            }
        }
    });
}

/// As each_pair().
template <class Grid, class Block, class Acc, class Made, class F>
FADE_FN void each_pair_in_steps(Block& block, Acc& acc, Made made, F f) {
    using steps = result_steps<Acc, 2>;
    block.each_wave([&](wave_coord w) FADE_LAMBDA {
        FADE_ROLLED
        for (int step = 0; step < steps::count; ++step) {
            wave::lane_values<Block, typename steps::held> held;
            block.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                held.at(p.lane) = steps::template at<Block>(acc, p, step);
            });
            FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j)
                finish_pairs(
                    block, w,
                    pair_place<Grid, Acc>{steps::row_of_atoms(step), steps::first_register(step), j},
                    [&](lane_coord p, int e) FADE_LAMBDA { return held.at(p.lane)[2 * j + e]; }, made, f);
        }
    });
}

}  // namespace FADE_NAMESPACE::block
