// Quantised weights of waves that share k: packed words in flight, which become operands when they are
// multiplied.
#pragma once
#include <fade/block/sliced_k/rows.hpp>
#include <fade/block/weights/packed_reader.hpp>
#include <fade/block/weights/ring.hpp>

namespace FADE_NAMESPACE::block {

/// How many columns a lane takes together of a format, and how many k at once: what lies together, at most
/// 16 bytes of it, so that one scale is that of all.
template <weight_format Format, class Atom>
struct sliced_patch {
    static constexpr int columns = Format.order == weight_order::rows ? 1 : 4;
    static constexpr int run =
        min_of(Format.order == weight_order::rows ? 128 / Format.bits() : 8, Format.leaves_group() ? 16
                                                                             : Format.group ? Format.group
                                                                                            : 128);
    // Operands of A have as many k: what a lane holds of them is bounded.
    static constexpr int k = max_of(Atom::lane_k, min_of(run, 32 / Atom::lane_rows));
    /// Atoms whose columns lie together.
    static constexpr int joined = max_of(columns / Atom::lane_columns, 1);
};

/// What a lane reads of a step of waves that share k.
template <class Atom, weight_format Format, int Tiles, int Slices>
struct sliced_weight_step {
    static constexpr int together = sliced_patch<Format, Atom>::columns,
                         patches = Tiles * Atom::lane_columns / together,
                         step = Atom::lane_k * Atom::k_groups;
    using patch = packed_patch<Format, typename Atom::element, together, Atom::lane_k>;
    /// Do the slices of a step have one scale? Waves take whole steps one after the other.
    static constexpr bool one_scale = !Format.leaves_group() && Format.group % (Slices * step) == 0;
    template <int Threads>
    using ring = weight_ring<Format, patch, patches, Slices, one_scale ? 1 : Slices, Threads>;
};

/// As sliced_rows.
template <class Block, class Atom, weight_format Format, class In, int Tiles, int Slices>
class sliced_weights {
    using source = weight_source<Format, In>;
    using of_step = sliced_weight_step<Atom, Format, Tiles, Slices>;
    static constexpr int together = of_step::together, of_lane = Atom::lane_columns,
                         patches = of_step::patches, step = of_step::step;
    using patch = typename of_step::patch;
    using packed = weight_words<Format, patch>;
    static constexpr bool apart = halves_are_apart<Format, patch>;
    using numbers = weight_numbers<Block, Format, patch, In, apart>;
    static constexpr bool one_scale = of_step::one_scale;
    struct lane_state {
        std::uint32_t offset[patches];
        int column[patches], k;  ///< of the first elements
        packed words[2][Slices][patches];
    };

public:
    template <class Column>
    FADE_FN sliced_weights(Block& block, const source& from, Column column) {
        block.each_lane([&](lane_coord p) {
            lane_state& lane = lanes_[p];
            lane.k = p.wave * Slices * step + Atom::k_group(p.lane) * Atom::lane_k;
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int first = i * together;
                lane.column[i] = column(p.lane, first / of_lane, first % of_lane);
                lane.offset[i] =
                    lane.column[i] < from.rows ? from.offset(lane.column[i], lane.k) : backend::outside;
                Block::keep(lane.offset[i]);
            }
        });
    }

    FADE_FN void load(Block& block, wave_coord w, const source& from, int left, int set) {
        const packed_reader<Block, Format, patch, In> reader(block, from);
        block.each_lane_of(w, [&](lane_coord p) {
            lane_state& lane = lanes_[p];
            FADE_UNROLL
            for (int s = 0; s < Slices; ++s) FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const std::uint32_t beyond =
                    (lane.k + s * step < left ? 0 : backend::outside) | (lane.offset[i] & backend::outside);
                packed& to = lane.words[set][s][i];
                reader.read_words(to, lane.offset[i], beyond, s * step);
                if (s == 0 || !one_scale) reader.read_scales(to, lane.column[i], lane.k, beyond, s * step);
            }
        });
    }

    FADE_FN auto slice(Block& block, wave_coord w, int set, int s) {
        wave::operand_fragment<Block, typename Atom::element, of_lane * Atom::lane_k, Tiles> out;
        block.each_lane_of(w, [&](lane_coord p) {
            const lane_state& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                packed words = lane.words[set][s][i];
                if constexpr (one_scale)
                    words.scale = lane.words[set][0][i].scale, words.zero = lane.words[set][0][i].zero;
                put(out, p.lane, i, words, lane.column[i], lane.k + s * step);
            }
        });
        return out;
    }

    /// Makes numbers of patch i of a lane, whose first element is at (column, k).
    template <class Fragment>
    FADE_FN static void put(Fragment& out, int lane, int i, const packed& words, int first, int depth) {
        const numbers of(words, first, depth);
        FADE_UNROLL
        for (int r = 0; r < together; ++r) FADE_UNROLL
        for (int k = 0; k < Atom::lane_k; k += 2) {
            const int column = i * together + r;
            wave::put_elements(out.at(lane, column / of_lane), (column % of_lane * Atom::lane_k + k) / 2,
                               vec<std::uint32_t, 1>{of.word(words, r, k)});
        }
    }

    /// A's elements as pairs of them lie in the registers of B.
    template <class Fragment>
    FADE_FN static void arrange(Block& block, wave_coord w, Fragment& a) {
        if constexpr (apart)
            block.each_lane_of(w, [&](lane_coord p) {
                FADE_UNROLL
                for (int t = 0; t < Fragment::tiles; ++t) {
                    auto& held = a.at(p.lane, t);
                    using registers = std::remove_cvref_t<decltype(held)>;
                    constexpr int count = int(sizeof(registers)) / 4;
                    auto words = __builtin_bit_cast(vec<std::uint32_t, count>, held);
                    FADE_UNROLL
                    for (int g = 0; g < count; g += 4) {
                        const std::uint32_t x[4] = {words[g], words[g + 1], words[g + 2], words[g + 3]};
                        words[g] = Block::template pick_bytes<0x5410>(x[0], x[2]);
                        words[g + 1] = Block::template pick_bytes<0x7632>(x[0], x[2]);
                        words[g + 2] = Block::template pick_bytes<0x5410>(x[1], x[3]);
                        words[g + 3] = Block::template pick_bytes<0x7632>(x[1], x[3]);
                    }
                    held = __builtin_bit_cast(registers, words);
                }
            });
    }

private:
    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block
