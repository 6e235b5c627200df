// The registers of a wave that hold tiles: operands of an atom, and accumulators.
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::wave {

/// What a lane holds of an operand: elements, or whole registers where the compiler would take bytes apart
/// and put them together again.
template <class T, int Size>
using lane_operand = std::conditional_t<sizeof(T) == 1, vec<std::uint32_t, Size / 4>, vec<T, Size>>;

/// Tiles fragments of one operand for one wave; lives within a verb.
template <class Block, class T, int Size, int Tiles>
struct operand_fragment {
    static constexpr int tiles = Tiles;
    lane_operand<T, Size> held[Block::wave_held][Tiles];
    FADE_FN constexpr lane_operand<T, Size>& at(int lane, int tile) {
        if constexpr (Block::wave_held == 1)
            return held[0][tile];
        else
            return held[lane][tile];
    }
};

/// Puts elements from the first-th on into what a lane holds: elements, or whole registers.
template <class V, class T, int Size>
FADE_FN void put_elements(V& to, int first, const vec<T, Size>& part) {
    using unit = std::remove_cvref_t<decltype(to[0])>;
    const auto units = __builtin_bit_cast(vec<unit, Size* int(sizeof(T)) / int(sizeof(unit))>, part);
    FADE_UNROLL
    for (int e = 0; e < units.size; ++e) to[first * int(sizeof(T)) / int(sizeof(unit)) + e] = units[e];
}

/// A fragment whose tiles count from `first` on.
template <class Fragment>
struct later_tiles {
    Fragment& fragment;
    int first;
    FADE_FN constexpr auto& at(int lane, int tile) const { return fragment.at(lane, tile - first); }
};

/// One tile of a fragment.
template <class Fragment>
struct one_tile {
    static constexpr int tiles = 1;
    Fragment& fragment;
    int tile;
    FADE_FN constexpr auto& at(int lane, int) const { return fragment.at(lane, tile); }
};

/// Operand fragments of all steps of k, kept by every wave of a workgroup from before a loop.
template <class Block, class T, int Size, int Tiles, int Steps>
struct kept_operand {
    struct lane_tiles {
        vec<T, Size> tile[Steps][Tiles];
    };
    per_lane<Block, lane_tiles> lanes;

    /// The fragment of one step for one wave.
    struct view {
        lane_tiles* wave;
        int step;
        FADE_FN constexpr vec<T, Size>& at(int lane, int tile) const {
            if constexpr (Block::wave_held == 1)
                return wave[0].tile[step][tile];
            else
                return wave[lane].tile[step][tile];
        }
    };
    FADE_FN constexpr view step(wave_coord w, int s) { return {lanes.wave(w), s}; }
};

/// Sets of operand fragments that live across a loop, for every wave of a workgroup. They are whole
/// registers: narrow elements would be taken apart by the compiler at the end of the loop and put together
/// again at its beginning.
template <class Block, class T, int Size, int Tiles, int Sets>
struct register_sets {
    static_assert(Size * sizeof(T) % 4 == 0, "what a lane holds of an operand is whole registers");
    using words = vec<std::uint32_t, Size* int(sizeof(T)) / 4>;
    struct lane_tiles {
        words tile[Sets][Tiles];
    };
    per_lane<Block, lane_tiles> lanes;

    /// One set for one wave.
    struct view {
        static constexpr int tiles = Tiles;
        lane_tiles* wave;
        int set;
        FADE_FN constexpr words& at(int lane, int tile) const {
            if constexpr (Block::wave_held == 1)
                return wave[0].tile[set][tile];
            else
                return wave[lane].tile[set][tile];
        }
    };
    FADE_FN constexpr view of(wave_coord w, int set) { return {lanes.wave(w), set}; }
};

/// Rows x Columns atoms of accumulators for every wave of a workgroup.
template <class Block, class Atom, int Rows, int Columns>
struct accumulator {
    using atom = Atom;
    using element = typename Atom::accumulator;
    using registers = vec<element, Atom::d_size>;
    static constexpr int rows = Rows, columns = Columns, lane_elements = Rows * Columns * Atom::d_size;
    struct lane_tiles {
        registers tile[Rows][Columns];
    };
    per_lane<Block, lane_tiles> lanes;

    FADE_FN constexpr registers& at(lane_coord p, int row, int column) { return lanes[p].tile[row][column]; }
    FADE_FN constexpr registers& at(wave_coord w, int lane, int row, int column) {
        if constexpr (Block::held == 1)
            return lanes.held[0].tile[row][column];
        else
            return lanes.held[w.slot + lane].tile[row][column];
    }
};

template <class Block, class Acc>
FADE_FN void zero(Block& block, Acc& acc) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j) acc.at(p, i, j) = typename Acc::registers{};
    });
}

/// to += from.
template <class Block, class Acc>
FADE_FN void add(Block& block, Acc& to, Acc& from) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
        for (int g = 0; g < Acc::registers::size; ++g) to.at(p, i, j)[g] += from.at(p, i, j)[g];
    });
}

}  // namespace FADE_NAMESPACE::wave
