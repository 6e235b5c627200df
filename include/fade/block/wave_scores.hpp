// Scores of shared tiles by one wave alone, where the four that share a matrix unit do not meet.
#pragma once
#include <fade/block/span_copy.hpp>
#include <fade/wave/mma.hpp>

namespace FADE_NAMESPACE::block {

/// Accumulators as those of another instruction, whose registers lie as theirs.
template <class Atom, class Acc>
struct accumulators_of {
    using atom = Atom;
    using element = typename Acc::element;
    using registers = typename Acc::registers;
    using lane_tiles = typename Acc::lane_tiles;
    static constexpr int rows = Acc::rows, columns = Acc::columns;
    static_assert(Atom::m == Acc::atom::m && Atom::n == Acc::atom::n && Atom::d_size == Acc::atom::d_size);
    Acc& held;

    FADE_FN constexpr registers& at(lane_coord p, int row, int column) const {
        return held.at(p, row, column);
    }
    FADE_FN constexpr registers& at(wave_coord w, int lane, int row, int column) const {
        return held.at(w, lane, row, column);
    }
};

/// scores = K Q^T of each wave's own queries; both tiles are spans. `Atom` is an instruction of one wave
/// whose accumulators lie as those of the scores. All lanes of a wave call it, and no other wave need.
template <class Atom, class LayoutQ, class LayoutK, class Block, class Scores>
class wave_scores {
    using T = typename Atom::element;
    using run = vec<T, Atom::lane_k>;
    using fragment_a = wave::operand_fragment<Block, T, Atom::lane_rows * Atom::lane_k, 1>;
    using fragment_b = wave::operand_fragment<Block, T, Atom::lane_columns * Atom::lane_k, 1>;
    static constexpr int step = Atom::lane_k * Atom::k_groups;

public:
    FADE_FN static void make(Block& block, Scores& scores, std::uint32_t queries, std::uint32_t keys) {
        wave::zero(block, scores);
        block.each_wave([&](wave_coord w) {
            accumulators_of<Atom, Scores> made{scores};
            FADE_ROLLED
            for (int d = 0; d < LayoutQ::rows; d += step) {
                fragment_b b;
                read<Atom::lane_columns>(block, w, b, [&](int lane, int c) {
                    return queries + LayoutQ::offset(d + Atom::k_group(lane) * Atom::lane_k,
                                                     w.wave * Atom::n + Atom::b_column(lane, c));
                });
                FADE_UNROLL
                for (int i = 0; i < Scores::rows; ++i) {
                    fragment_a a;
                    read<Atom::lane_rows>(block, w, a, [&](int lane, int r) {
                        return keys + LayoutK::offset(d + Atom::k_group(lane) * Atom::lane_k,
                                                      i * Atom::m + Atom::a_row(lane, r));
                    });
                    wave::later_tiles<fragment_a> row{a, i};
                    wave::mma_rows<step / Atom::k, 1>(block, w, made, row, b, i);
                }
            }
        });
    }

private:
    template <int Rows, class Fragment, class At>
    FADE_FN static void read(Block& block, wave_coord w, Fragment& to, At at) {
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int r = 0; r < Rows; ++r)
                wave::put_elements(to.at(p.lane, 0), r * Atom::lane_k,
                                   block.template load_shared<run>(p, at(p.lane, r)));
        });
    }
};

}  // namespace FADE_NAMESPACE::block
