// Values that belong to rows of an accumulator: a maximum, a sum, a scale.
#pragma once
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::wave {

/// Which rows of an atom's D a lane holds: `held` neighbouring columns of each, so that register g belongs to
/// slot g / held.
template <class Atom>
struct row_slots {
    static constexpr int held = [] {
        int n = 0;
        for (int g = 0; g < Atom::d_size; ++g) n += Atom::d_at(0, g).major == Atom::d_at(0, 0).major;
        return n;
    }();
    static constexpr int count = Atom::d_size / held;

    FADE_FN static constexpr int of(int g) { return g / held; }
    /// The first register of a slot.
    FADE_FN static constexpr int first(int slot) { return slot * held; }

private:
    static constexpr bool neighbours() {
        for (int g = 0; g < Atom::d_size; ++g) {
            const auto at = Atom::d_at(0, g), begin = Atom::d_at(0, first(of(g)));
            if (at.major != begin.major || at.minor != begin.minor + g % held) return false;
        }
        return true;
    }
    static_assert(neighbours(),
                  "row values need an atom whose lanes hold neighbouring columns in neighbouring registers");
};

/// One f32 for every row that a lane holds a part of, in an accumulator of Rows atoms one below the other.
template <class Block, class Atom, int Rows>
struct row_values {
    using slots = row_slots<Atom>;
    static constexpr int rows = Rows;
    struct lane_rows {
        float value[Rows][slots::count];
    };
    per_lane<Block, lane_rows> lanes;

    FADE_FN constexpr float& at(place p, int row, int slot) { return lanes[p].value[row][slot]; }
};

/// The row values that go with an accumulator.
template <class Block, class Acc>
using rows_of = row_values<Block, typename Acc::atom, Acc::rows>;

/// Calls f(value, others...) for every row, with the values of that row.
template <class Block, class F, class Values, class... Others>
FADE_FN void each_row(Block& block, F f, Values& values, Others&... others) {
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int i = 0; i < Values::rows; ++i) FADE_UNROLL
        for (int r = 0; r < Values::slots::count; ++r) f(values.at(p, i, r), others.at(p, i, r)...);
    });
}

/// Calls f(element, values...) for every element of an accumulator, with the values of its row.
template <class Block, class Acc, class F, class... Values>
FADE_FN void each_element(Block& block, Acc& acc, F f, Values&... values) {
    using slots = row_slots<typename Acc::atom>;
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
        for (int g = 0; g < Acc::atom::d_size; ++g) f(acc.at(p, i, j)[g], values.at(p, i, slots::of(g))...);
    });
}

}  // namespace FADE_NAMESPACE::wave
