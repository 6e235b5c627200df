// One operand of waves that share k: where the columns of a lane are, and rows of numbers along k.
#pragma once
#include <fade/block/mma.hpp>
#include <fade/wave/memory_reader.hpp>

namespace FADE_NAMESPACE::block {

/// Which columns of its workgroup's tile an atom's are, where the columns of a lane in `Joined` neighbouring
/// atoms lie together in memory. Of a workgroup's waves some may have other columns: `Groups` of them are
/// beside one another, and the waves of a group share k.
template <class Atom, int Joined, int Groups = 1>
struct sliced_columns {
    static constexpr int groups = Groups;
    static constexpr int of_lane = Atom::lane_columns;
    /// Of column `column` of the atom number `tile` of a wave.
    FADE_FN static constexpr int in_tile(int tile, int column) {
        if (Joined == 1) return tile * Atom::n + column;
        return tile / Joined * Joined * Atom::n + column / of_lane * of_lane * Joined +
               tile % Joined * of_lane + column % of_lane;
    }
};

/// Numbers as they are multiplied, `LaneRows` rows of each of Tiles atoms a lane. Waves take slices of k in
/// turn: Slices each of a step, for which there are two sets of registers.
template <class Block, class Atom, int LaneRows, int Tiles, int Slices>
class sliced_rows {
    using element = typename Atom::element;
    using reader = wave::memory_reader<Block, Atom, LaneRows, Tiles>;

public:
    /// `row(lane, tile, r)` says which row of the source is a lane's r-th of an atom.
    template <class Source, class Row>
    FADE_FN sliced_rows(Block& block, const Source& from, Row row)
        : reader_(
              block, from,
              [&](int lane, int tile, int r) {
                  return lane_start{row(lane, tile, r), Atom::k_group(lane) * Atom::lane_k};
              },
              [](int wave) { return wave * Slices * reader::step; }) {}

    /// Starts reading a step that begins where the source stands and of which `left` k exist.
    template <class Source>
    FADE_FN void load(Block& block, wave_coord w, const Source& from, int left, int set) {
        const auto memory = from.memory(block);
        FADE_UNROLL
        for (int s = 0; s < Slices; ++s) {
            auto to = held_.of(w, set * Slices + s);
            reader_.load(block, w, memory, s, left, to);
        }
    }
    /// The operands of slice s.
    FADE_FN auto slice(Block&, wave_coord w, int set, int s) { return held_.of(w, set * Slices + s); }

private:
    reader reader_;
    wave::register_sets<Block, element, LaneRows * Atom::lane_k, Tiles, 2 * Slices> held_;
};

/// What reads the rows of A: those rows, or the elements of a source that has no runs of k.
template <class Block, class Atom, int Tiles, int Slices, class Source>
struct choose_sliced_rows {
    using type = sliced_rows<Block, Atom, Atom::lane_rows, Tiles, Slices>;
};
template <class Block, class Atom, int Tiles, int Slices, class Source>
    requires requires { typename Source::template sliced_rows<Block, Atom, Tiles, Slices>; }
struct choose_sliced_rows<Block, Atom, Tiles, Slices, Source> {
    using type = typename Source::template sliced_rows<Block, Atom, Tiles, Slices>;
};

/// What reads the columns of B: those rows, or the packed words of a source whose elements become numbers.
template <class Block, class Atom, int Tiles, int Slices, class Source>
struct choose_sliced_columns {
    using type = sliced_rows<Block, Atom, Atom::lane_columns, Tiles, Slices>;
};
template <class Block, class Atom, int Tiles, int Slices, class Source>
    requires requires { typename Source::template sliced<Block, Atom, Tiles, Slices>; }
struct choose_sliced_columns<Block, Atom, Tiles, Slices, Source> {
    using type = typename Source::template sliced<Block, Atom, Tiles, Slices>;
};

}  // namespace FADE_NAMESPACE::block
