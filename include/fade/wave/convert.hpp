// Accumulators of one product as operand registers of the next.
#pragma once
#include <fade/wave/chain.hpp>
#include <fade/wave/load.hpp>
#include <fade/wave/reduce.hpp>

namespace FADE_NAMESPACE::wave {

template <class V, class Pair>
FADE_FN void put_pair(V& to, int at, const Pair& pair) {
    to[at] = pair[0], to[at + 1] = pair[1];
}

/// Where each half of a wave needs the whole column: its own registers beside those of the other half, packed
/// before they travel.
template <class Atom, class Block, class Fragment, class Acc>
FADE_FN void exchange_operand(Block& block, wave_coord w, Fragment& to, int columns, int s, Acc acc) {
    using element = typename Atom::element;
    constexpr int size = Atom::d_size, words = size * int(sizeof(element)) / 4;
    FADE_UNROLL
    for (int j = 0; j < columns; ++j) {
        lane_values<Block, float> packed[words];
        block.each_lane_of(w, [&](lane_coord p) {
            vec<element, size> own;
            FADE_UNROLL
            for (int g = 0; g < size; g += 2)
                put_pair(own, g,
                         Block::template narrow<element>(acc(p.lane, s, j, g), acc(p.lane, s, j, g + 1)));
            const auto bits = __builtin_bit_cast(vec<float, words>, own);
            FADE_UNROLL
            for (int i = 0; i < words; ++i) packed[i].at(p.lane) = bits[i];
        });
        block.each_lane_of(w, [&](lane_coord p) {
            vec<float, 2 * words> both;
            FADE_UNROLL
            for (int i = 0; i < words; ++i) {
                const float mine = packed[i].at(p.lane),
                            other = Block::shuffle_xor(p, packed[i].held, Atom::n);
                both[i] = p.lane < Atom::n ? mine : other;
                both[words + i] = p.lane < Atom::n ? other : mine;
            }
            to.at(p.lane, j) = __builtin_bit_cast(vec<element, 2 * size>, both);
        });
    }
}

/// Registers of operand B for step s of k: what the accumulators hold, converted. acc(lane, row, column, g)
/// yields one.
template <class Atom, class Block, class Fragment, class Acc>
FADE_FN void chain_operand(Block& block, wave_coord w, Fragment& to, int columns, int s, Acc acc) {
    using element = typename Atom::element;
    if constexpr (chain<Atom>::exchanges) {
        exchange_operand<Atom>(block, w, to, columns, s, acc);
        return;
    }
    FADE_UNROLL
    for (int j = 0; j < columns; ++j)
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int c = 0; c < Atom::lane_columns; ++c) FADE_UNROLL
            for (int e = 0; e < Atom::lane_k; e += 2) {
                const int held = s * Atom::lane_k + e, row = held / chain<Atom>::column_size,
                          g = held % chain<Atom>::column_size * Atom::lane_columns + c;
                put_pair(to.at(p.lane, j), c * Atom::lane_k + e,
                         Block::template narrow<element>(acc(p.lane, row, j, g),
                                                         acc(p.lane, row, j, g + Atom::lane_columns)));
            }
        });
}

/// Accumulators that become operands in place.
template <class Block, class Atom>
struct chained_in_registers {
    template <class Tile>
    FADE_FN chained_in_registers(Block&, const Tile&) {}
    template <class Acc>
    FADE_FN void put(Block&, Acc&) {}
    template <class Acc, class Fragment>
    FADE_FN void take(Block& block, wave_coord w, Acc& acc, int s, Fragment& to) {
        chain_operand<Atom>(block, w, to, Acc::columns, s, [&](int lane, int row, int column, int g) {
            return acc.at(w, lane, row, column)[g];
        });
    }
};

/// Accumulators that pass through a shared tile of Layout, each wave through its own WaveRows rows of it.
template <class Block, class Atom, class Layout, int WaveRows>
class chained_through_shared {
    using atom = Atom;
    using element = typename atom::element;
    static constexpr int tile = atom::lane_rows, pack = atom::lane_k;  // a lane's corner of D is tile x tile

public:
    template <class Tile>
    FADE_FN chained_through_shared(Block& block, const Tile& through)
        : base_(through.base), reader_(
                                   block, [](int wave) { return wave * WaveRows; },
                                   [](int lane, int c) { return lane_row{atom::b_column(lane, c), 0}; }) {}

    template <class Acc>
    FADE_FN void put(Block& block, Acc& acc) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
            for (int k = 0; k < tile; k += pack) put_pack(block, p, acc, i, j, k);
        });
    }
    template <class Acc, class Fragment>
    FADE_FN void take(Block& block, wave_coord w, Acc&, int s, Fragment& to) {
        reader_.load(block, w, base_, s, to);
    }

private:
    struct lane_row {
        int row, k;
    };
    template <class Acc>
    FADE_FN static float value_of(Acc& acc, lane_coord p, int i, int j, int k, int e) {
        return acc.at(p, i, j)[(k + e % pack) * tile + e / pack];
    }
    /// Columns of D are rows of the tile, neighbours in memory; `pack` rows of D lie together.
    template <class Acc>
    FADE_FN void put_pack(Block& block, lane_coord p, Acc& acc, int i, int j, int k) {
        vec<element, tile * pack> out;
        FADE_UNROLL
        for (int e = 0; e < tile * pack; e += 2)
            put_pair(out, e,
                     Block::template narrow<element>(value_of(acc, p, i, j, k, e),
                                                     value_of(acc, p, i, j, k, e + 1)));
        const auto at = atom::d_at(p.lane, k * tile);
        block.store_shared(
            p, base_ + Layout::offset(p.wave * WaveRows + j * atom::n + at.minor, i * atom::m + at.major),
            out);
    }

    std::uint32_t base_;
    operand_reader<Block, Layout, atom::n, atom::lane_columns, atom::lane_k, atom::k_groups> reader_;
};

}  // namespace FADE_NAMESPACE::wave
