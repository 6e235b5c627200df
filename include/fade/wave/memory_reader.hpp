// From global memory to the operand registers of a wave, past shared memory: for what no other wave reads.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::wave {

/// Where each lane reads its part of an operand of `Tiles` neighbouring atoms: an address for each of its
/// rows, from which k alone moves on.
template <class Block, class Atom, int LaneRows, int Tiles>
class memory_reader {
    using element = typename Atom::element;
    static constexpr int size = int(sizeof(element)), piece = 16 / size, pieces = Atom::lane_k / piece;
    using words = vec<std::uint32_t, 4>;  // narrow elements would be taken apart
    static_assert(Atom::lane_k % piece == 0, "a lane reads whole runs of 16 bytes");
    struct lane_state {
        std::uint32_t at[Tiles][LaneRows];
        int k;  ///< of the lane's first run
    };

public:
    static constexpr int step = Atom::lane_k * Atom::k_groups;  ///< k of a slice

    /// `start(lane, tile, r)` yields row and k of a lane's r-th row, `first_k` the first k of a wave.
    template <class Source, class Start, class FirstK>
    FADE_FN memory_reader(Block& block, const Source& from, Start start, FirstK first_k) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Tiles; ++t) FADE_UNROLL
            for (int r = 0; r < LaneRows; ++r) {
                const auto [row, k] = start(p.lane, t, r);
                lanes_[p].k = first_k(p.wave) + k;
                std::uint32_t& at = lanes_[p].at[t][r];
                at = row < from.rows ? from.offset(row, lanes_[p].k) : backend::outside;
                Block::keep(at);
            }
        });
    }

    /// Starts reading slice s, where `memory` begins with the k of the step and `left` k are left from there.
    /// What lies beyond reads as zero.
    template <class Memory, class Fragment>
    FADE_FN void load(Block& block, wave_coord w, const Memory& memory, int s, int left, Fragment& to) {
        block.each_lane_of(w, [&](lane_coord p) {
            const auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < pieces; ++i) {
                const int further = s * step + i * piece;
                const std::uint32_t beyond = lane.k + further < left ? 0 : backend::outside;
                FADE_UNROLL
                for (int t = 0; t < Tiles; ++t) FADE_UNROLL
                for (int r = 0; r < LaneRows; ++r)
                    put_elements(
                        to.at(p.lane, t), (r * Atom::lane_k + i * piece) * size / 4,
                        memory.template load<words>(lane.at[t][r] | beyond, std::uint32_t(further * size)));
            }
        });
    }

private:
    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::wave
