// What a lane keeps of a source whose elements lie where a table in shared memory says.
#pragma once
#include <cstdint>
#include <fade/core/instruction_mix.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Are elements found by words that others made? Then element (row, k) of a step lies at offset(row, k) plus
/// a word, and read() yields words of consecutive k for the step that comes next.
template <class Source>
concept tabled = requires { Source::tabled; };

/// Instructions of a wave that looks ahead. A patch's words are read four at a time.
template <class Source>
FADE_FN constexpr instruction_mix ahead_mix(int patches, int loads) {
    if constexpr (tabled<Source>)
        return {.reads = Source::by_lanes ? 0 : patches * ceil_div(loads, 4),
                .scalars = Source::scalars_ahead,
                .vectors = Source::vectors_ahead};
    else
        return {};
}

/// For each patch of a lane, where the words of its loads are, and those of the next step; nothing for
/// sources that need none.
template <class Source, int Patches, int Loads>
struct table_words {
    FADE_FN void set(lane_coord, int, const Source&, int, int) {}
};
template <tabled Source, int Patches, int Loads>
struct table_words<Source, Patches, Loads> {
    static constexpr int wide = min_of(Loads, 4);
    using run = vec<std::uint32_t, wide>;

    FADE_FN void set(lane_coord p, int i, Source& from, int row, int k) {
        at_[i] = from.begin_lane(p, row, k);
    }
    template <class Block>
    FADE_FN void read(Block& block, lane_coord p, int i, const Source& from) {
        FADE_UNROLL
        for (int j = 0; j < Loads / wide; ++j)
            runs_[i][j] = from.template read<run>(block, p, at_[i], j * wide);
    }
    FADE_FN std::uint32_t word(int i, int j) const { return runs_[i][j / wide][j % wide]; }

private:
    std::uint32_t at_[Patches];
    run runs_[Patches][Loads / wide];
};

}  // namespace FADE_NAMESPACE::block
