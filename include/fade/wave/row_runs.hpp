// What of a row of D one lane holds, and its neighbours.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::wave {

/// How many neighbours of a row a lane holds one after the other, of those that can be stored at once.
template <class Atom>
constexpr int neighbours_in_row() {
    const auto held = [](int run) {
        bool all = Atom::d_size % (run * Atom::lane_columns) == 0;
        for (int lane = 0; lane < Atom::lanes && all; ++lane)
            for (int g = 0; g < Atom::d_size; ++g)
                all =
                    all && Atom::d_at(lane, g).major ==
                               Atom::d_at(lane, g - g / Atom::lane_columns % run * Atom::lane_columns).major +
                                   g / Atom::lane_columns % run;
        return all;
    };
    return held(4) ? 4 : held(2) ? 2 : 1;
}

/// How many neighbouring lanes hold what follows one after the other in a row.
template <class Atom>
constexpr int lanes_in_row() {
    const int run = neighbours_in_row<Atom>();
    int lanes = 1;
    while (lanes < Atom::lanes && Atom::d_at(lanes, 0).minor == Atom::d_at(0, 0).minor &&
           Atom::d_at(lanes, 0).major == lanes * run)
        ++lanes;
    return lanes;
}

}  // namespace FADE_NAMESPACE::wave
