// Two chained products: the accumulators of one become an operand of the next, without passing through shared memory where the atom allows it.
#pragma once
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>
#include <fade/wave/fragment.hpp>

namespace fade::wave {

/// For S^T = K Q^T and O^T = V^T P^T a lane's registers of S^T hold one query (column) as a lane's registers of operand P^T do.
/// Which keys they hold differs between the two maps; storing the rows of K in another order makes them agree.
template <class Atom>
struct chain {
    static constexpr bool in_registers = Atom::order == atom::operand_order::k_contiguous && Atom::lane_columns == 1 && Atom::n == Atom::m;
    /// Copies of an operand in several lane groups, whose accumulators hold different rows: groups must exchange registers.
    static constexpr bool exchanges = Atom::a_copies > 1;
    static constexpr int step = Atom::lane_k * Atom::k_groups;   // keys that one load of operand registers spans

    /// The key, within its atom, that register g of a lane holds after the reordering.
    FADE_FN static constexpr int key_at(int lane, int g) {
        if constexpr (!in_registers) return Atom::d_at(lane, g).major;
        else if constexpr (exchanges) return lane / Atom::n * Atom::d_size + g;
        else return g / Atom::lane_k * step + Atom::k_group(lane) * Atom::lane_k + g % Atom::lane_k;
    }

    /// The row of K's shared tile where a key lies: the row of D whose register holds it.
    FADE_FN static constexpr int row_of(int key) {
        for (int lane = 0; lane < Atom::lanes; lane += Atom::n)
            for (int g = 0; g < Atom::d_size; ++g)
                if (key_at(lane, g) == key % Atom::m) return key / Atom::m * Atom::m + Atom::d_at(lane, g).major;
        return key;
    }
};

/// row_of without the search, for addresses that are computed at run time.
template <class Atom>
FADE_FN constexpr int chained_row(int key) {
    if constexpr (!chain<Atom>::in_registers) return key;
    else if constexpr (chain<Atom>::exchanges) return key / Atom::m * Atom::m + key % Atom::d_size * 2 + key % Atom::m / Atom::d_size;
    else if constexpr (Atom::m == 32 && Atom::lane_k == 8) return key / 16 * 16 + key % 8 / 4 * 8 + key % 16 / 8 * 4 + key % 4;
    else return key;
}

template <class Atom>
constexpr bool chained_rows_agree() {
    for (int key = 0; key < 2 * Atom::m; ++key)
        if (chained_row<Atom>(key) != (chain<Atom>::in_registers ? chain<Atom>::row_of(key) : key)) return false;
    return true;
}

/// A shared tile whose rows are keys in the order that the chain wants.
template <class Layout, class Atom>
struct chained_rows : Layout {
    using plain = Layout;
    static_assert(chained_rows_agree<Atom>(), "the row order of this atom has another form: give it one in chained_row");
    FADE_FN static constexpr std::uint32_t offset(int row, int k) { return Layout::offset(chained_row<Atom>(row), k); }
};

}  // namespace fade::wave
