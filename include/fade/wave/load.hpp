// From a shared tile to the operand registers of a wave, at addresses that were computed before the loop over
// k.
#pragma once
#include <fade/atom/shape.hpp>
#include <fade/wave/fragment.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::wave {

/// Where each lane reads its part of an operand: one address for every 16 bytes (or less) at every step of k.
/// `Rows` is how many rows of the tile an atom spans; the atoms of a wave follow at constant distances.
template <class Block, class Layout, int Rows, int LaneRows, int LaneK, int Groups>
class operand_reader {
    using element = typename Layout::element;
    static constexpr bool along_k = Layout::order == atom::operand_order::k_contiguous;
    static constexpr int size = LaneRows * LaneK,
                         run = along_k ? LaneK : size;  // elements a lane holds, and how many lie together
    static constexpr int piece = min_of(run, 16 / int(sizeof(element))), pieces = run / piece;
    static constexpr int step = LaneK * Groups, steps = Layout::depth / step;
    // Rows of one lane that do not lie together (two halves of an instruction) are a constant distance apart.
    static constexpr int row_sets = along_k ? LaneRows : 1;
    // Where rows lie together every step of k is a constant distance further; a swizzle along k needs an
    // address a step.
    static constexpr int kept_steps = along_k ? steps : 1, kept_pieces = along_k ? pieces : 1;
    struct addresses {
        std::uint32_t at[kept_steps][row_sets][kept_pieces];
    };

public:
    static constexpr int k_steps = steps,
                         reads = row_sets * pieces;  ///< steps of k; reads of shared memory an atom and step

    /// `start(lane, r)` yields row and k of the r-th row of a lane, `first` the first row of its wave.
    /// Addresses are kept for a tile at `home`.
    template <class First, class Start>
    FADE_FN operand_reader(Block& block, First first, Start start, std::uint32_t home = 0) : home_(home) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int s = 0; s < kept_steps; ++s) FADE_UNROLL
            for (int r = 0; r < row_sets; ++r) FADE_UNROLL
            for (int i = 0; i < kept_pieces; ++i) {
                const auto [row, k] = start(p.lane, r);
                std::uint32_t& at = lanes_[p].at[s][r][i];
                at = home + Layout::offset(first(p.wave) + row, s * step + k + i * piece);
                Block::keep(at);
            }
        });
    }

    /// The fragments of neighbouring atoms, from the first-th on, at step s of the tile at byte `base`.
    template <class Fragment>
    FADE_FN void load(Block& block, wave_coord w, std::uint32_t base, int s, Fragment& to, int first = 0) {
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Fragment::tiles; ++t) FADE_UNROLL
            for (int r = 0; r < row_sets; ++r) FADE_UNROLL
            for (int i = 0; i < pieces; ++i) {
                const std::uint32_t at = along_k ? lanes_[p].at[s][r][i] : lanes_[p].at[0][0][0];
                const std::uint32_t further =
                    base - home_ + std::uint32_t(first + t) * atom_distance +
                    (along_k ? 0u
                             : Layout::offset(0, s * step) +
                                   std::uint32_t(i * piece) * std::uint32_t(sizeof(element)));
                const auto part = block.template load_shared<vec<element, piece>>(p, at + further);
                put_elements(to.at(p.lane, t), r * LaneK + i * piece, part);
            }
        });
    }

private:
    static constexpr std::uint32_t atom_distance = Layout::offset(Rows, 0) - Layout::offset(0, 0);
    static_assert(Layout::offset(2 * Rows, 0) - Layout::offset(Rows, 0) == atom_distance ||
                      Layout::rows == Rows,
                  "the swizzle of a shared tile repeats with the rows of an atom");
    std::uint32_t home_;
    per_lane<Block, addresses> lanes_;
};

}  // namespace FADE_NAMESPACE::wave
