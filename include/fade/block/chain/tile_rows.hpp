// What the rows of a tile are: queries of one head, or the queries of all heads that share keys.
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>

namespace FADE_NAMESPACE::block {

/// Whose a row is.
struct row_owner {
    int query, head;
};

/// The row of a tile that slot c of atom column j stands for in one lane's registers.
template <class Atom>
FADE_FN int row_in_tile(lane_coord p, int wave_queries, int j, int c) {
    return p.wave * wave_queries + j * Atom::n + Atom::d_at(p.lane, c).minor;
}

/// Rows that are queries of one head.
struct head_rows {
    static constexpr bool grouped = false;
    int first, wave_queries, head;
    template <class Atom>
    FADE_FN row_owner owner(lane_coord p, int j, int c) const {
        return {first + row_in_tile<Atom>(p, wave_queries, j, c), head};
    }
    /// How many there are of so many queries.
    FADE_FN int count(int queries) const { return queries; }
};

/// Rows that are the queries of neighbouring heads: row n is query n / heads of head n % heads of them. A
/// lane divides once, and keeps the queries of its rows; of neighbouring ones that of the first.
template <class Block, class Traits>
class gqa_rows {
    using atom = typename Traits::atom;
    static constexpr int slots = atom::lane_columns;
    static constexpr bool neighbours = [] {
        for (int lane = 0; lane < atom::lanes; ++lane)
            for (int c = 0; c < slots; ++c)
                if (atom::d_at(lane, c).minor != atom::d_at(lane, 0).minor + c) return false;
        return true;
    }();
    static constexpr int kept_slots = neighbours ? 1 : slots;
    struct lane_queries {
        std::uint32_t of[Traits::columns][kept_slots];
    };
    per_lane<Block, lane_queries> queries_;

public:
    static constexpr bool grouped = true;
    static constexpr int wave_queries = Traits::wave_queries;
    int first, heads, head;  ///< the first row, how many heads and which comes first

    FADE_FN gqa_rows(Block& block, int first_row, int head_count, int first_head)
        : first(first_row), heads(head_count), head(first_head) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int j = 0; j < Traits::columns; ++j) FADE_UNROLL
            for (int c = 0; c < kept_slots; ++c) {
                std::uint32_t& query = queries_[p].of[j][c];
                query =
                    std::uint32_t(first + row_in_tile<atom>(p, wave_queries, j, c)) / std::uint32_t(heads);
                Block::keep(query);
            }
        });
    }
    template <class Atom>
    FADE_FN row_owner owner(lane_coord p, int j, int c) const {
        int query = int(queries_[p].of[j][c % kept_slots]),
            rest = first + row_in_tile<Atom>(p, wave_queries, j, c) - query * heads;
        FADE_UNROLL
        for (int s = 0; s < (neighbours ? c : 0);
             ++s) {  // rows from the kept one to this: as many queries at most
            const bool next = rest >= heads;
            query += next, rest -= next ? heads : 0;
        }
        return {query, head + rest};
    }
    FADE_FN int count(int queries) const { return queries * heads; }
};

/// Has this wave one of `count` rows? In emulation: has any?
template <class Block, class Rows>
FADE_FN bool wave_has_rows(Block& block, const Rows& rows, int first, int count) {
    bool some = false;
    block.each_wave([&](wave_coord w) { some = some || first + w.wave * rows.wave_queries < count; });
    return some;
}

}  // namespace FADE_NAMESPACE::block
