// Two chained products: the accumulators of one become an operand of the next, without passing through shared
// memory where the atom allows it.
#pragma once
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::wave {

/// Do a lane's registers of D belong to the columns that its registers of operand B do, register g to column
/// g % lane_columns?
template <class Atom>
constexpr bool columns_agree() {
    for (int lane = 0; lane < Atom::lanes; ++lane)
        for (int g = 0; g < Atom::d_size; ++g)
            if (Atom::d_at(lane, g).minor != Atom::b_column(lane, g % Atom::lane_columns)) return false;
    return true;
}

/// The distance between lanes of neighbouring groups of k.
template <class Atom>
constexpr int group_distance() {
    for (int lane = 0; lane < Atom::lanes; ++lane)
        if (Atom::k_group(lane) == 1) return lane;
    return 0;
}

/// For S^T = K Q^T and O^T = V^T P^T a lane's registers of S^T hold the queries (columns) that its registers
/// of operand P^T do. Which keys they hold differs between the two maps; storing the rows of K in another
/// order makes them agree.
template <class Atom>
struct chain {
    static constexpr bool in_registers = [] {
        if constexpr (Atom::order == atom::operand_order::k_contiguous)
            return columns_agree<Atom>();
        else
            return false;
    }();
    /// Copies of an operand in several lane groups, whose accumulators hold different rows: groups must
    /// exchange registers.
    static constexpr bool exchanges = Atom::a_copies > 1;
    static constexpr int step =
        Atom::lane_k * Atom::k_groups;  // keys that one load of operand registers spans
    static constexpr int group_lanes = group_distance<Atom>();
    static constexpr int column_size =
        Atom::d_size / Atom::lane_columns;  // registers of an atom that belong to one column

    /// The key that register g of a lane holds in the i-th atom of a column, after the reordering: a lane's
    /// registers, atom after atom, are its operand registers, step after step.
    FADE_FN static constexpr int key_at(int lane, int i, int g) {
        if constexpr (!in_registers)
            return i * Atom::m + Atom::d_at(lane, g).major;
        else if constexpr (exchanges)
            return i * Atom::m + lane / Atom::n * Atom::d_size + g;
        else {
            const int held = i * column_size + g / Atom::lane_columns;  // which of its column's registers
            return held / Atom::lane_k * step + Atom::k_group(lane) * Atom::lane_k + held % Atom::lane_k;
        }
    }

    /// The row of K's shared tile where a key lies: the row of D whose register holds it.
    FADE_FN static constexpr int row_of(int key) {
        if constexpr (!in_registers)
            return key;
        else if constexpr (exchanges)
            return key / Atom::m * Atom::m +
                   Atom::d_at(key % Atom::m / Atom::d_size * Atom::n, key % Atom::d_size).major;
        else {
            const int held =
                key / step * Atom::lane_k + key % Atom::lane_k;  // which of its column's registers
            return held / column_size * Atom::m + Atom::d_at(key % step / Atom::lane_k * group_lanes,
                                                             held % column_size * Atom::lane_columns)
                                                      .major;
        }
    }
};

/// The key that lies in a row of K's shared tile, of atoms that say which registers hold a row of D.
template <class Atom>
FADE_FN constexpr int key_of_row(int row) {
    const int in_atom = row % Atom::m;
    return chain<Atom>::key_at(Atom::d_group(in_atom) * chain<Atom>::group_lanes, row / Atom::m,
                               Atom::d_register(in_atom));
}
template <class Atom>
constexpr bool keys_of_rows_agree(int rows) {
    for (int row = 0; row < rows; ++row)
        if (chain<Atom>::row_of(key_of_row<Atom>(row)) != row) return false;
    return true;
}

/// Do both maps name each other's keys?
template <class Atom>
constexpr bool chained_rows_agree() {
    constexpr int atoms = max_of(chain<Atom>::step / Atom::m, 1);
    for (int lane = 0; lane < Atom::lanes; ++lane)
        for (int i = 0; i < atoms; ++i)
            for (int g = 0; g < Atom::d_size; ++g)
                if (chain<Atom>::row_of(chain<Atom>::key_at(lane, i, g)) !=
                    i * Atom::m + Atom::d_at(lane, g).major)
                    return false;
    return true;
}

/// A shared tile whose rows are keys in the order that the chain wants.
template <class Layout, class Atom>
struct chained_rows : Layout {
    using plain = Layout;
    static_assert(chained_rows_agree<Atom>(),
                  "the registers of this atom's accumulators cannot become operand registers in their order");
    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return Layout::offset(chain<Atom>::row_of(row), k);
    }
};

}  // namespace FADE_NAMESPACE::wave
