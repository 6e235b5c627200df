// From lines of consecutive rows in shared memory to operand registers of consecutive k, by reads that turn
// rows into columns.
#pragma once
#include <cstdint>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::wave {

/// Where each lane reads for the transposing reads of an operand. Sixteen lanes read a square of 16 rows and
/// 4 k together: lane l the l % 4-th four rows of its l / 4-th line; it is given row l of all four lines.
/// Atoms have 32 rows, so two such squares side by side, and consecutive k in a lane.
template <class Block, class Layout, class Atom>
class transposing_reader {
    using element = typename Layout::element;
    using square = vec<element, 4>;
    static constexpr int step = Atom::lane_k * Atom::k_groups, squares = Atom::lane_k / square::size;
    static_assert(Atom::m == Layout::piece_rows && Atom::lane_rows == 1, "an atom reads one piece of a line");
    static_assert(Layout::offset(0, step) == step * Layout::pitch &&
                      Layout::offset(0, square::size) == square::size * Layout::pitch,
                  "what is exchanged repeats with every four lines");
    struct addresses {
        std::uint32_t at[Layout::pieces];
    };

public:
    /// `first` yields the first row of a wave; where a lane begins follows from the atom, not from what
    /// operand_reader is told.
    template <class First, class Start>
    FADE_FN transposing_reader(Block& block, First first, Start) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Layout::pieces; ++t) {
                const int row = first(p.wave) + t * Atom::m + p.lane % Atom::m / 16 * 16 + p.lane % 4 * 4,
                          k = Atom::k_group(p.lane) * Atom::lane_k + p.lane % 16 / 4;
                lanes_[p].at[t] = Layout::offset(row, k);
                Block::keep(lanes_[p].at[t]);
            }
        });
    }

    /// The fragments of neighbouring atoms, from the first-th on, at step s of the tile at byte `base`.
    template <class Fragment>
    FADE_FN void load(Block& block, wave_coord w, std::uint32_t base, int s, Fragment& to, int first = 0) {
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Fragment::tiles; ++t) FADE_UNROLL
            for (int i = 0; i < squares; ++i) {
                const int piece = first + t;
                const std::uint32_t further =
                    base +
                    std::uint32_t(piece / Layout::pieces * Layout::pieces * Atom::m * int(sizeof(element)) +
                                  (s * step + i * square::size) * Layout::pitch);
                put_elements(to.at(p.lane, t), i * square::size,
                             block.template load_shared_transposed<square>(p, [&](lane_coord q) {
                                 return lanes_[q].at[piece % Layout::pieces] + further;
                             }));
            }
        });
    }

private:
    per_lane<Block, addresses> lanes_;
};

}  // namespace FADE_NAMESPACE::wave
