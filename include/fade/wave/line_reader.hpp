// From lines of consecutive rows in shared memory to operand registers of consecutive k, element by element:
// of f64 an element is two banks, so that nothing needs to be turned.
#pragma once
#include <cstdint>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::wave {

/// Where each lane reads its part of an operand: an address for each of its rows in an atom. Stands in for
/// operand_reader where the shared tile is contiguous along rows.
template <class Block, class Layout, int Rows, int LaneRows, int LaneK, int Groups>
class line_reader {
    using element = typename Layout::element;
    static constexpr int step = LaneK * Groups;
    // So many neighbouring atoms need addresses of their own: what is exchanged repeats behind them.
    static constexpr int alternates = max_of(Layout::rows_alike / Rows, 1);
    static_assert(LaneK <= Layout::lines_alike && step % Layout::lines_period == 0 &&
                      Rows * alternates % Layout::rows_alike == 0,
                  "what is exchanged repeats with the rows of atoms and with their steps");
    struct addresses {
        std::uint32_t at[alternates][LaneRows];
    };

public:
    static constexpr int k_steps = Layout::depth / step, reads = LaneRows * LaneK;

    /// `start(lane, r)` yields row and k of the r-th row of a lane, `first` the first row of its wave.
    template <class First, class Start>
    FADE_FN line_reader(Block& block, First first, Start start, std::uint32_t = 0) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int a = 0; a < alternates; ++a) FADE_UNROLL
            for (int r = 0; r < LaneRows; ++r) {
                const auto [row, k] = start(p.lane, r);
                lanes_[p].at[a][r] = Layout::offset(first(p.wave) + a * Rows + row, k);
                Block::keep(lanes_[p].at[a][r]);
            }
        });
    }

    /// The fragments of neighbouring atoms, from the first-th on, at step s of the tile at byte `base`.
    template <class Fragment>
    FADE_FN void load(Block& block, wave_coord w, std::uint32_t base, int s, Fragment& to, int first = 0) {
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Fragment::tiles; ++t) FADE_UNROLL
            for (int r = 0; r < LaneRows; ++r) FADE_UNROLL
            for (int k = 0; k < LaneK; ++k) {
                const int atom = first + t, row = atom / alternates * alternates * Rows;
                const std::uint32_t at = lanes_[p].at[atom % alternates][r];
                const std::uint32_t further =
                    base + std::uint32_t((s * step + k) * Layout::pitch + row * int(sizeof(element)));
                put_elements(to.at(p.lane, t), r * LaneK + k,
                             block.template load_shared<vec<element, 1>>(p, at + further));
            }
        });
    }

private:
    per_lane<Block, addresses> lanes_;
};

}  // namespace FADE_NAMESPACE::wave
