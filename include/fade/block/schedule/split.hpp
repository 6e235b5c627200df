// Workgroups that share the sum behind a tile: each takes a part of k, or of the keys, and leaves what it
// found in the workspace. A second launch adds that up in the order of the parts (combine.hpp), so that the
// same bits come out each time.
#pragma once
#include <fade/block/schedule/tile.hpp>

namespace FADE_NAMESPACE::block {

/// The largest of `parts` equal shares of `size`, in whole multiples of `unit`.
template <class T>
FADE_FN constexpr T share_of(T size, T parts, T unit) {
    return ceil_div(ceil_div(size, unit), parts) * unit;
}

template <class T>
struct part_range {
    T begin, end;
};
/// What part number `part` sums of [begin, end), of which each has `share`: the last ones less, or nothing.
template <class T>
FADE_FN constexpr part_range<T> part_of(T begin, T end, T share, T part) {
    const T first = min_of(begin + part * share, end);
    return {first, min_of(first + share, end)};
}

/// A number that counts the parts of one whole after another.
struct split_number {
    int whole, part;
    FADE_FN static constexpr split_number of(int number, int parts) {
        const unsigned whole = unsigned(number) / unsigned(parts);
        return {int(whole), int(unsigned(number) - whole * unsigned(parts))};
    }
};

/// A part of a tile. Of a layer all parts follow one another in the grid, and in what they leave.
struct split_work {
    tile_index tile;
    int layer, part;
    int left;  ///< which layer of what is left
};
FADE_FN constexpr split_work split_of(const work_item& work, int parts) {
    const split_number at = split_number::of(work.layer, parts);
    return {work.tile, at.whole, at.part, work.layer};
}

/// The same without a division where there is one part.
FADE_FN constexpr split_work part_of_work(const work_item& work, int parts) {
    return parts == 1 ? split_work{work.tile, work.layer, 0, work.layer} : split_of(work, parts);
}

/// One part of one tile a workgroup.
struct split_schedule : one_work<split_work> {
    template <class Block>
    FADE_FN split_schedule(const Block& block, const tile_walk& walk, int parts)
        : one_work{split_of(tile_schedule(block, walk).work, parts)} {}
};

/// A part of a tile of a line. Workgroups that share a tile are neighbours: they read the same rows.
struct split_line_work : line_work {
    int part;
};
struct split_line_schedule : one_work<split_line_work> {
    template <class Block>
    FADE_FN split_line_schedule(const Block& block, int parts)
        : one_work{of(split_number::of(block.id_x(), parts), block.id_y(), block.id_z())} {}

private:
    FADE_FN static split_line_work of(const split_number& at, int line, int layer) {
        return {{at.whole, line, layer}, at.part};
    }
};

}  // namespace FADE_NAMESPACE::block
