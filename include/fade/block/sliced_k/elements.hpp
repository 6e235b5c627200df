// A of waves that share k where nothing of it need lie together: its few rows are read element by element.
#pragma once
#include <fade/block/sliced_k/rows.hpp>
#include <fade/block/source/strided.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

template <class Block, class Atom, int Tiles, int Slices>
class sliced_elements;

/// An operand of any strides and any alignment.
template <class T>
struct operand_of_elements : operand<T> {
    template <class Block, class Atom, int Tiles, int Slices>
    using sliced_rows = sliced_elements<Block, Atom, Tiles, Slices>;
    FADE_FN explicit constexpr operand_of_elements(const operand<T>& all) : operand<T>(all) {}
};

/// Registers that hold an element in flight: narrow ones are packed when they are multiplied, for until then
/// nothing may wait for them.
template <class T>
inline constexpr int registers_of_element = max_of(int(sizeof(T)) / 4, 1);

/// As sliced_rows.
template <class Block, class Atom, int Tiles, int Slices>
class sliced_elements {
    using element = typename Atom::element;
    static constexpr int size = int(sizeof(element)), rows = Atom::lane_rows,
                         step = Atom::lane_k * Atom::k_groups, packed = max_of(4 / size, 1);
    using word = vec<std::uint32_t, registers_of_element<element>>;
    using held =
        std::conditional_t<size == 1, std::uint8_t, std::conditional_t<size == 2, std::uint16_t, word>>;
    struct lane_state {
        std::uint32_t offset[Tiles][rows];
        int k;
        held elements[2][Slices][Tiles][rows][Atom::lane_k];
    };

public:
    template <class Source, class Row>
    FADE_FN sliced_elements(Block& block, const Source& from, Row row) {
        block.each_lane([&](lane_coord p) {
            lane_state& lane = lanes_[p];
            lane.k = p.wave * Slices * step + Atom::k_group(p.lane) * Atom::lane_k;
            FADE_UNROLL
            for (int t = 0; t < Tiles; ++t) FADE_UNROLL
            for (int r = 0; r < rows; ++r) {
                const int at = row(p.lane, t, r);
                lane.offset[t][r] = at < from.rows ? from.offset(at, lane.k) : backend::outside;
                Block::keep(lane.offset[t][r]);
            }
        });
    }

    template <class Source>
    FADE_FN void load(Block& block, wave_coord w, const Source& from, int left, int set) {
        const auto memory = from.memory(block);
        block.each_lane_of(w, [&](lane_coord p) {
            lane_state& lane = lanes_[p];
            FADE_UNROLL
            for (int s = 0; s < Slices; ++s) {
                std::uint32_t further = 0;  // one lane register: a scalar for each k would be too many
                FADE_UNROLL
                for (int k = 0; k < Atom::lane_k; ++k, further += from.offset(0, 1)) {
                    Block::keep(further);
                    const std::uint32_t beyond = lane.k + s * step + k < left ? 0 : backend::outside;
                    FADE_UNROLL
                    for (int t = 0; t < Tiles; ++t) FADE_UNROLL
                    for (int r = 0; r < rows; ++r)
                        lane.elements[set][s][t][r][k] = memory.template load<held>(
                            (lane.offset[t][r] + further) | beyond, from.offset(0, s * step));
                }
            }
        });
    }

    FADE_FN auto slice(Block& block, wave_coord w, int set, int s) {
        wave::operand_fragment<Block, element, rows * Atom::lane_k, Tiles> out;
        block.each_lane_of(w, [&](lane_coord p) {
            const auto& lane = lanes_[p];
            FADE_UNROLL
            for (int t = 0; t < Tiles; ++t) FADE_UNROLL
            for (int r = 0; r < rows; ++r) FADE_UNROLL
            for (int k = 0; k < Atom::lane_k; k += packed)
                wave::put_elements(out.at(p.lane, t), (r * Atom::lane_k + k) * size / 4,
                                   word_of(lane.elements[set][s][t][r], k));
        });
        return out;
    }

private:
    /// The elements from k on that share a register. Only here do they become words: compilers would do that,
    /// and wait for it, where a loop begins anew.
    FADE_FN static word word_of(const held (&elements)[Atom::lane_k], int k) {
        if constexpr (packed == 1)
            return elements[k];
        else {
            word out{};
            FADE_UNROLL
            for (int e = 0; e < packed; ++e) {
                std::uint32_t one = elements[k + e];
                Block::keep(one);
                out[0] |= one << 8 * size * e;
            }
            return out;
        }
    }

    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block
