// Lanes of a workgroup in groups: a group takes a part of each of several sums, and the first adds them up.
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// So many groups of so many lanes.
struct lane_groups {
    int lanes, groups;
};

/// A value of every lane in shared memory, from byte 0 on: its first words in pairs, the others by fours.
template <class Block, class T>
class shared_values {
    static_assert(sizeof(T) % 4 == 0 && alignof(T) <= 4, "lanes exchange whole registers, without padding");
    static constexpr int words = int(sizeof(T)) / 4;
    using registers = vec<std::uint32_t, words>;
    static constexpr int piece_at(int word) {
        const int left = words - word;
        return left % 4 == 0 ? 4 : left >= 2 && word % 2 == 0 ? 2 : 1;
    }
    FADE_FN static std::uint32_t address(int lane, int word) {
        return std::uint32_t(Block::threads * word * 4 + lane * piece_at(word) * 4);
    }
    /// Calls f(word, vec of the words of a piece) for each piece.
    template <int Word = 0, class F>
    FADE_FN static void each_piece(F f) {
        if constexpr (Word < words) {
            f.template operator()<Word, vec<std::uint32_t, piece_at(Word)>>();
            each_piece<Word + piece_at(Word)>(f);
        }
    }

public:
    static constexpr int bytes = Block::threads * int(sizeof(T));
    FADE_FN static void put(Block& block, lane_coord p, int lane, const T& value) {
        const auto all = __builtin_bit_cast(registers, value);
        each_piece([&]<int Word, class Piece>() FADE_LAMBDA {
            Piece piece;
            FADE_UNROLL
            for (int i = 0; i < Piece::size; ++i) piece[i] = all[Word + i];
            block.store_shared(p, address(lane, Word), piece);
        });
    }
    FADE_FN static T take(Block& block, lane_coord p, int lane) {
        registers all;
        each_piece([&]<int Word, class Piece>() FADE_LAMBDA {
            const auto piece = block.template load_shared<Piece>(p, address(lane, Word));
            FADE_UNROLL
            for (int i = 0; i < Piece::size; ++i) all[Word + i] = piece[i];
        });
        return __builtin_bit_cast(T, all);
    }
};

/// Calls part(lane, group), a lane's number being that in its group, in every lane of the groups;
/// and store(lane, sum) with the parts of all groups, combined by `both` in their order. Wants
/// shared_values::bytes of shared memory; all waves call it.
template <class Block, class Part, class Both, class Store>
FADE_FN void fold_groups(Block& block, const lane_groups& of, Part part, Both both, Store store) {
    using T = decltype(part(0, 0));
    using shared = shared_values<Block, T>;
    const auto number = [](lane_coord p) { return p.wave * Block::wave_size + p.lane; };
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        const int lane = number(p) % of.lanes, group = number(p) / of.lanes;
        if (group >= of.groups) return;
        const T mine = part(lane, group);
        if (of.groups == 1)
            store(lane, mine);
        else
            shared::put(block, p, number(p), mine);
    });
    if (of.groups == 1) return;
    block.sync();
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        const int lane = number(p);
        if (lane >= of.lanes) return;
        T sum = shared::take(block, p, lane);
        for (int g = 1; g < of.groups; ++g) sum = both(sum, shared::take(block, p, g * of.lanes + lane));
        store(lane, sum);
    });
    block.sync();  // the next sums take the same place
}

}  // namespace FADE_NAMESPACE::block
