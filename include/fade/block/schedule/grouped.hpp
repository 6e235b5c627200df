// Tiles of groups whose rows lie one behind the other, as many as a table in the device's memory says.
#pragma once
#include <fade/block/schedule/one_work.hpp>
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

/// Group g has the rows from the end of the group before it to ends[g]. What a table says beyond all rows, or
/// below the first, is cut off.
struct row_groups {
    const int* ends;
    int count;  ///< of groups
    int rows;   ///< of all groups

    FADE_FN int end(int group) const { return min_of(max_of(ends[group], 0), rows); }
    FADE_FN int begin(int group) const { return group > 0 ? end(group - 1) : 0; }
};

/// Numbers of tiles of rows that are enough for any table. Group g has those from begin / tile_rows + g on: a
/// number is found by halving, and nobody counts the tiles of the groups before. Some numbers stay without
/// rows.
constexpr int tile_numbers(int rows, int groups, int tile_rows) { return rows / tile_rows + groups; }

/// A tile of one group's rows: its first row among all, and how many there are.
struct grouped_work {
    int group, row, rows;
    int column;  ///< number of the tile along the columns
};

/// One tile a workgroup, or none where the number has no rows.
struct grouped_schedule : one_work<grouped_work> {
    template <class Block>
    FADE_FN grouped_schedule(const Block& block, const tile_walk& walk, const row_groups& groups,
                             int tile_rows)
        : grouped_schedule(tile_of(walk.at(block.id_x()), groups, tile_rows)) {}
    FADE_FN explicit grouped_schedule(const grouped_work& of) : one_work{of, of.rows > 0} {}

    FADE_FN static grouped_work tile_of(const tile_index& at, const row_groups& groups, int tile_rows) {
        int first = 0, last = groups.count - 1;
        while (first < last) {
            const int middle = (first + last + 1) / 2;
            if (groups.begin(middle) / tile_rows + middle <= at.row)
                first = middle;
            else
                last = middle - 1;
        }
        const int begin = groups.begin(first), row = begin + (at.row - begin / tile_rows - first) * tile_rows;
        return {first, row, min_of(groups.end(first) - row, tile_rows), at.column};
    }
};

}  // namespace FADE_NAMESPACE::block
