// In which order workgroups walk over the tiles of an output.
#pragma once
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

struct tile_index {
    int row, column;
};

/// Consecutive workgroups alternate over `xcds` compute dies; gives each die runs of `chunk` neighbouring
/// tiles, for the sake of its L2. Source of the formula: HipKittens, include/common/util.cuh (identity beyond
/// the last full round).
FADE_FN constexpr int xcd_order(int workgroup, int count, int xcds, int chunk) {
    const int round = xcds * chunk;
    if (xcds == 1 || workgroup >= count / round * round) return workgroup;
    const int xcd = workgroup % xcds, index_in_xcd = workgroup / xcds;
    return index_in_xcd / chunk * round + xcd * chunk + index_in_xcd % chunk;
}

/// Walks down `group` rows of tiles before it moves to the next column, so that a group's operands stay in
/// cache.
FADE_FN constexpr tile_index swizzled_order(int workgroup, int tile_rows, int tile_columns, int group) {
    const int per_group = group * tile_columns, g = workgroup / per_group, rest = workgroup % per_group;
    const int rows = min_of(group, tile_rows - g * group);
    return {g * group + rest % rows, rest / rows};
}

/// The same by divisions that a kernel may begin with: of numbers without a sign, and one where there are no
/// more rows than a group has.
FADE_FN constexpr tile_index quick_order(int workgroup, int tile_rows, int tile_columns, int group) {
    const auto number = unsigned(workgroup);
    if (tile_rows <= group) {
        const unsigned column = number / unsigned(tile_rows);
        return {int(number - column * unsigned(tile_rows)), int(column)};
    }
    const unsigned per_group = unsigned(group) * unsigned(tile_columns), g = number / per_group,
                   rest = number - g * per_group;
    const auto rows = unsigned(min_of(group, tile_rows - int(g) * group));
    const unsigned column = rest / rows;
    return {int(g) * group + int(rest - column * rows), int(column)};
}

}  // namespace FADE_NAMESPACE::block
