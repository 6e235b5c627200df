// Scores a tile ahead: matrix instructions compute the scores of the next tile, and weigh the values of this
// one, while the vector ALU does this tile's softmax. The order of FlashAttention-3 within a warpgroup (Shah
// et al. 2024), spread evenly over all products of a wave. Maxima stay those of the first tile: softmax is
// the same for any, so long as its weights can be represented. Where they could not, the walk is taken again
// by single steps.
#pragma once
#include <fade/block/any_lane.hpp>
#include <fade/kernel/attention/bounds.hpp>
#include <fade/kernel/attention/softmax_pieces.hpp>
#include <fade/kernel/attention/units.hpp>

namespace FADE_NAMESPACE::kernel {

/// Which piece of the softmax stands beside which unit of the products.
template <class Traits, class Units, int Pairs>
struct piece_places {
    static constexpr int pairs_in_step = Traits::lane_k / 2;
    static constexpr int pair(int n, int spared = units_spared()) {
        return n * (Units::all - spared) / Pairs;
    }

private:
    static constexpr bool in_time(int spared) {
        for (int n = 0; n < Pairs; ++n)
            if (pair(n, spared) >= Units::qk_units + n / pairs_in_step * Units::values_in_step) return false;
        return true;
    }
    /// Evenly over as many units as leave each weight there before the unit that takes it.
    static constexpr int units_spared() {
        int n = 1;
        while (!in_time(n)) ++n;
        return n;
    }
    static_assert(Units::qk_units >= 4, "copies stand apart from each other");
};

/// Takes a walk over an odd number of tiles that all queries see, and leaves it as its own steps would, but
/// for the maxima.
template <class Block, class Traits, class Walk, class Queries>
class walk_software_pipelined {
    using scores_type = typename Traits::template scores<Block>;
    using units = product_units<Block, Traits>;
    using pieces = softmax_pieces<Block, Traits>;
    using places = piece_places<Traits, units, pieces::pair_count>;

public:
    FADE_FN walk_software_pipelined(Block& block, Walk& walk, Queries& queries, float scale_log2)
        : block_(block), walk_(walk), queries_(queries), scale_log2_(scale_log2), units_(walk.product) {}

    FADE_FN void run(int tiles) {
        begin();
        for (int i = 1; i < tiles; i += 2)
            tile_step<0>(), tile_step<1>();  // by twos, so that scores need not move
        FADE_UNROLL
        for (int u = 1; u < units::all; ++u) scale_beside(scores_[0], u);
        FADE_UNROLL
        for (int n = 0; n < pieces::pair_count; ++n)
            pieces_.exponentiate(block_, scores_[0], walk_.states, n);
        if (!two_stages) block_.sync();  // the last values are there
        walk_.product.mma_pv(block_, walk_.out, scores_[0]);
        next_values();
    }

private:
    static constexpr bool two_stages = Traits::stages == 2;
    /// Where the keys that are scored in a turn lie, and the values that are weighed; the next ones go to
    /// stage_of(1 - Now).
    static constexpr int stage_of(int now) { return two_stages ? now : 0; }

    FADE_FN void next_keys() { walk_.keys.advance_rows(Traits::keys), walk_.keys.load(block_); }
    FADE_FN void next_values() { walk_.values.advance(Traits::keys), walk_.values.load(block_); }

    /// The scores of the first tile; then its values and the keys of the second are in shared memory.
    FADE_FN void begin() {
        next_keys();
        block_.sync();
        walk_.product.mma_qk(block_, scores_[0], queries_);
        walk_.values.store(block_, Traits::tile_v());
        block_.sync();
        walk_.keys.store(block_, Traits::tile_k());
        block_.sync();
        units_.read_keys(block_, 0, 0);
        pieces_.find_maximum(block_, scores_[0]);
        pieces_.share_maximum(block_);
        pieces_.update_maxima(block_, walk_.states, scale_log2_);
        scale_beside(scores_[0], 0);
    }

    /// One tile, whose scores are there; those of the next are made meanwhile.
    template <int Now>
    FADE_FN void tile_step() {
        wave::zero(block_, scores_[1 - Now]);
        FADE_UNROLL
        for (int u = 0; u < units::qk_units; ++u) mma_qk_next<Now>(u);
        FADE_UNROLL
        for (int u = 0; u < units::pv_units; ++u) mma_pv<Now>(u);
    }

    /// The barriers stand before a last unit whose operands are in registers already. With two stages the
    /// values of a tile are there since its keys were.
    template <int Now>
    FADE_FN void mma_qk_next(int u) {
        if (two_stages && u == 0) next_values();
        if (u == units::qk_units * 3 / 4) {
            if (two_stages) walk_.values.store(block_, Traits::tile_v(1 - Now));
            next_keys();  // in the registers that the values had
        }
        if (u < units::qk_units - 1)
            units_.read_keys(block_, stage_of(Now), u + 1);
        else {
            if (!two_stages) block_.sync();  // the values are there, and nobody reads the keys
            units_.read_values(block_, stage_of(Now), 0);
        }
        units_.mma_qk(block_, scores_[1 - Now], queries_, u);
        end_unit<Now>(u);
    }

    template <int Now>
    FADE_FN void mma_pv(int u) {
        if (u == (two_stages ? units::pv_units * 3 / 4 : units::pv_units / 2 - 1))
            walk_.keys.store(block_, Traits::tile_k(stage_of(1 - Now)));
        if (!two_stages && u == units::pv_units / 2) next_values();  // in the registers that the keys had
        if (u < units::pv_units - 1)
            units_.read_values(block_, stage_of(Now), u + 1);
        else {
            block_.sync();  // the keys are there, and nobody reads the values
            units_.read_keys(block_, stage_of(1 - Now), 0);
            if (!two_stages) walk_.values.store(block_, Traits::tile_v());
        }
        units_.mma_pv(block_, walk_.out, u);
        end_unit<Now>(units::qk_units + u);
    }

    /// What is exponentiated beside the next unit is scaled now: exponentials that wait for nothing can stand
    /// right behind a product.
    template <int Now>
    FADE_FN void end_unit(int u) {
        exponentiate_beside(scores_[Now], u);
        if (u == units::all - 1)
            scale_beside(scores_[1 - Now], 0);
        else
            scale_beside(scores_[Now], u + 1);
        Block::template spread<units::products_in_unit,
                               vector_mix{.exponentials = 1, .reads = 4, .others = 4}>();
    }
    FADE_FN void scale_beside(scores_type& scores, int u) {
        FADE_UNROLL
        for (int n = 0; n < pieces::pair_count; ++n)
            if (places::pair(n) == u) pieces_.scale(block_, scores, n);
    }
    FADE_FN void exponentiate_beside(scores_type& scores, int u) {
        FADE_UNROLL
        for (int n = 0; n < pieces::pair_count; ++n)
            if (places::pair(n) == u) {
                pieces_.exponentiate(block_, scores, walk_.states, n);
                if (n % places::pairs_in_step == places::pairs_in_step - 1)
                    units_.take_probabilities(block_, scores, n / places::pairs_in_step);
            }
    }

    Block& block_;
    Walk& walk_;
    Queries& queries_;
    float scale_log2_;
    units units_;
    pieces pieces_;
    scores_type scores_[2];
};

/// Sends a walk back to its begin where some maximum of it was too far from zero, or made no numbers of
/// weights before it moved near; says whether.
template <class Traits, class Block, class Walk>
FADE_FN bool began_again(Block& block, Walk& walk, int tiles) {
    if (!block::any_lane(block, Traits::tile_v().base, [&](lane_coord p) {
            return passed_bounds(walk.states.lanes[p], max_sum, walk.scale_log2);
        }))
        return false;
    walk.restart(block, tiles);
    return true;
}

/// Walks over as many of the next `tiles` as fit its form; returns how many. None where maxima had to move:
/// the walk stands at its begin again.
template <class Traits, class Block, class Walk, class Queries>
FADE_FN int step_software_pipelined(Block& block, Walk& walk, Queries& queries, float scale_log2, int tiles) {
    const int odd = tiles - 1 + tiles % 2;
    if (odd < 3) return 0;
    walk_software_pipelined<Block, Traits, Walk, Queries>(block, walk, queries, scale_log2).run(odd);
    if (!block::any_lane(block, Traits::tile_v().base, [&](lane_coord p) {
            return passed_bounds(walk.states.lanes[p], max_probability<typename Traits::atom::element>,
                                 scale_log2) ||
                   passed_bounds(walk.out, p);
        }))
        return odd;
    walk.restart(block, odd);
    return 0;
}

}  // namespace FADE_NAMESPACE::kernel
