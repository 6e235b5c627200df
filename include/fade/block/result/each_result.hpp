// The elements of accumulators that the waves of a grid hold, by their row and column in the workgroup's
// tile.
#pragma once
#include <fade/core/lane_coord.hpp>
#include <fade/wave/fold_lanes.hpp>
#include <fade/wave/keep.hpp>
#include <fade/wave/reduce.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Which elements follow each other: those of a row, which share its address, or those of an atom.
enum class result_order { rows, atoms };

/// Calls f(row, column, value) for every element. Grid says where a wave's tile begins.
template <class Grid, result_order Order = result_order::rows, class Block, class Acc, class F>
FADE_FN void each_result(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    constexpr bool rows = Order == result_order::rows;
    constexpr int middle = rows ? atom::d_size : Acc::columns, inner = rows ? Acc::columns : atom::d_size;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int m = 0; m < middle; ++m) FADE_UNROLL
        for (int n = 0; n < inner; ++n) {
            const int g = rows ? m : n, j = rows ? n : m;
            const auto in_atom = atom::d_at(p.lane, g);
            f(Grid::row_of(p.wave) + i * atom::m + in_atom.major,
              Grid::column_of(p.wave) + j * atom::n + in_atom.minor, acc.at(p, i, j)[g]);
        }
    });
}

/// Where the right neighbour of a result in an even column is: in the next register of the same lane, or in
/// the same register of the next lane.
enum class pair_home { registers, lanes, none };
template <class Atom>
constexpr pair_home home_of_pairs() {
    bool registers = Atom::d_size % 2 == 0, lanes = registers && Atom::lanes % 2 == 0;
    for (int lane = 0; lane < Atom::lanes; ++lane)
        for (int g = 0; g < Atom::d_size; ++g) {
            const auto at = Atom::d_at(lane, g);
            const auto next_to = [&](int l, int h) {
                return Atom::d_at(l, h).major == at.major && Atom::d_at(l, h).minor == at.minor + 1;
            };
            registers = registers && (g % 2 == 1 || (at.minor % 2 == 0 && next_to(lane, g + 1)));
            lanes = lanes && (lane % 2 == 1 || (at.minor % 2 == 0 && next_to(lane + 1, g)));
        }
    return registers ? pair_home::registers : lanes ? pair_home::lanes : pair_home::none;
}

/// Two registers of an atom that hold pairs, from the even `g` on.
template <class Grid, class Acc>
struct pair_place {
    using atom = typename Acc::atom;
    int i, g, j;
    FADE_FN int row(lane_coord p, int e) const {
        return Grid::row_of(p.wave) + i * atom::m + atom::d_at(p.lane, g + e).major;
    }
    FADE_FN int column(lane_coord p) const {
        return Grid::column_of(p.wave) + j * atom::n + atom::d_at(p.lane, g).minor;
    }
};

/// The pairs of one place; sum(p, e) is what a lane holds in register g + e.
template <class Place, class Block, class Sum, class Made, class F>
FADE_FN void finish_pairs(Block& block, wave_coord w, const Place& at, Sum sum, Made made, F f) {
    constexpr pair_home home = home_of_pairs<typename Place::atom>();
    static_assert(home != pair_home::none,
                  "this atom holds the neighbours of a row neither in two registers nor in two lanes");
    using value = std::remove_cvref_t<decltype(made(0, 0, sum(lane_coord{}, 0)))>;
    const auto one = [&](lane_coord p, int e) FADE_LAMBDA {
        return made(at.row(p, e), at.column(p) + (home == pair_home::registers ? e : 0), sum(p, e));
    };
    if constexpr (home == pair_home::registers) {
        block.each_lane_of(w, [&](lane_coord p)
                                  FADE_LAMBDA { f(at.row(p, 0), at.column(p), one(p, 0), one(p, 1)); });
    } else {
        wave::lane_values<Block, value> kept, sent;
        block.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
            const value first = one(p, 0), second = one(p, 1);
            const bool odd = p.lane % 2 != 0;
            kept.at(p.lane) = odd ? second : first, sent.at(p.lane) = odd ? first : second;
        });
        block.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
            const value own = kept.at(p.lane), got = wave::shuffled<Block>(p, sent.held, 1);
            const bool odd = p.lane % 2 != 0;
            f(odd ? at.row(p, 1) : at.row(p, 0), at.column(p) - odd, odd ? got : own, odd ? own : got);
        });
    }
}

/// f(row, column, left, right) for the values of columns `column`, which is even, and `column` + 1, each of
/// which is made(row, column, sum) of its own. Lanes that hold a pair together take one of two each.
template <class Grid, class Block, class Acc, class Made, class F>
FADE_FN void each_pair(Block& block, Acc& acc, Made made, F f) {
    block.each_wave([&](wave_coord w) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int g = 0; g < Acc::atom::d_size; g += 2) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j)
            finish_pairs(
                block, w, pair_place<Grid, Acc>{i, g, j},
                [&](lane_coord p, int e) FADE_LAMBDA { return acc.at(p, i, j)[g + e]; }, made, f);
    });
}

}  // namespace FADE_NAMESPACE::block
