// What every atom (matrix instruction) declares, and the proof that its lane maps cover their tiles.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::atom {

/// In which direction the elements that a lane takes from shared memory lie one after the other.
enum class operand_order {
    k_contiguous,    ///< a lane takes consecutive k of a row
    row_contiguous,  ///< a lane takes consecutive rows at one k (or one pack of k)
    panel            ///< the instruction reads whole panels from shared memory itself
};

/// A position in an operand (row of A or column of B, and k) or in D (row and column).
struct coordinate {
    int major, minor;
};

/// Which of the vectors that a lane loaded, and which k of it, an operand register takes.
struct lane_element {
    int row, k;
};

/// How many times each element of a rows x columns tile is named by a map of lanes x registers.
template <int Rows, int Columns, class Map>
constexpr bool covers(int lanes, int registers, int times, Map map) {
    int seen[Rows * Columns] = {};
    for (int lane = 0; lane < lanes; ++lane)
        for (int e = 0; e < registers; ++e) {
            const coordinate c = map(lane, e);
            if (c.major < 0 || c.major >= Rows || c.minor < 0 || c.minor >= Columns) return false;
            ++seen[c.major * Columns + c.minor];
        }
    for (int count : seen)
        if (count != times) return false;
    return true;
}

/// Every element of D belongs to one lane, every element of A and B to as many lanes as the instruction wants
/// copies.
template <class A>
constexpr bool maps_cover() {
    return covers<A::m, A::k>(A::lanes, A::a_size, A::a_copies, A::a_at) &&
           covers<A::n, A::k>(A::lanes, A::b_size, A::b_copies, A::b_at) &&
           covers<A::m, A::n>(A::lanes, A::d_size, 1, A::d_at);
}

}  // namespace FADE_NAMESPACE::atom
