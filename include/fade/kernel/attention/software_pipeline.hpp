// Scores a tile ahead: matrix instructions do P V of the tile before, and compute the scores of the next
// one, while the vector ALU does this tile's softmax. The order of FlashAttention-3 within a warpgroup (Shah
// et al. 2024), spread evenly over all products of a wave. Maxima stay while operands hold the probabilities
// that they leave: softmax is the same for any. No probability of a tile is used before all are made, so that
// a wave can make them again.
#pragma once
#include <fade/block/chain/bounds.hpp>
#include <fade/block/chain/memory_scores.hpp>
#include <fade/block/chain/product_units.hpp>
#include <fade/block/chain/resident_operand.hpp>
#include <fade/block/chain/softmax_pieces.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/attention/softmax.hpp>
#include <fade/kernel/attention/traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// Which piece of the softmax stands beside which unit of the products; units of P V come first.
template <class Traits, class Units, int Pairs>
struct piece_places {
    static constexpr int pairs_in_step = Traits::lane_k / 2;
    /// Scores have just been made: exponentials wait for a unit or two, where there are units to spare.
    static constexpr int first = Pairs > Units::all ? 0 : 2;
    static constexpr int exponentiated(int n) { return first + n * (Units::all - first) / Pairs; }
    /// A unit before, so that exponentials that wait for nothing can stand right behind a product; and before
    /// the next scores are made, so that these can take the registers.
    static constexpr int scaled(int n) {
        if (n < early) return max_of(exponentiated(n) - 1, 0);
        return first + 2 + (n - early) * (Units::pv_units - first - 2) / (Pairs - early);
    }

private:
    /// How many pairs are exponentiated beside units of P V.
    static constexpr int early = [] {
        int n = 0;
        while (exponentiated(n) <= Units::pv_units) ++n;
        return n;
    }();
    /// Operands of a step are made when those of the tile before are used up.
    static constexpr bool in_time() {
        for (int step = 0; step < Pairs / pairs_in_step; ++step)
            if (exponentiated((step + 1) * pairs_in_step - 1) < (step + 1) * Units::values_in_step - 1)
                return false;
        return true;
    }
    static_assert(in_time(), "probabilities of a tile are made when those of the tile before are used up");
    static_assert(Units::qk_units >= 4 && Units::pv_units >= 4, "copies stand apart from each other");
};

/// Takes a walk over at least three tiles that all queries see, and leaves it as its own steps would.
template <class Block, class Traits, class Walk, class Queries>
class walk_software_pipelined {
    using scores_type = typename Traits::template scores<Block>;
    using units = block::product_units<Block, Traits>;
    using pieces = block::softmax_pieces<Block, Traits>;
    using places = piece_places<Traits, units, pieces::pair_count>;
    struct copy_units {
        int store_keys, load_values, store_values, load_keys;
    };
    /// Beside which unit copies end and begin: in time for the longest way, but for values that pass through
    /// registers to be turned, which takes more of them.
    static constexpr copy_units copies =
        Traits::transposing
            ? copy_units{units::pv_units / 4, units::pv_units * 3 / 8, units::pv_units + units::qk_units / 4,
                         units::pv_units + units::qk_units * 3 / 8}
            : copy_units{units::pv_units / 2 - 1, units::pv_units / 2, units::pv_units - 1,
                         units::pv_units + units::qk_units * 3 / 4};
    static constexpr float max_tile_sum = block::max_probability<typename Traits::atom::element>;

public:
    FADE_FN walk_software_pipelined(Block& block, Walk& walk, Queries& queries, float scale_log2)
        : block_(block), walk_(walk), queries_(queries), scale_log2_(scale_log2), units_(walk.product) {}

    /// Tiles whose probabilities are made again leave the inner loop, so that the others pay for nothing
    /// else.
    FADE_FN void run(int tiles) {
        begin();
        for (int n = 2; n < tiles;) {
            bool passed = false;
            do {
                tile_step();
                passed = Block::any_lane(pieces_.passed(block_, max_tile_sum));
            } while (++n < tiles && !passed);
            if (passed) make_again();
        }
        end();
    }

private:
    FADE_FN void next_keys() { walk_.keys.advance_rows(Traits::keys), walk_.keys.load(block_); }
    FADE_FN void next_values() { walk_.values.advance(Traits::keys), walk_.values.load(block_); }

    /// The probabilities of the first tile, which sets the maxima, and the scores of the second.
    FADE_FN void begin() {
        walk_.begin_step(block_, queries_, scores_);
        block_.sync();  // the values are there, and nobody reads the keys
        walk_.keys.store(block_, Traits::tile_k());
        pieces_.find_maximum(block_, scores_);
        pieces_.share_maximum(block_);
        pieces_.update_maxima(block_, walk_.states, scale_log2_);
        make_probabilities(scores_);
        next_keys();
        block_.sync();  // the keys are there
        walk_.product.mma_qk(block_, scores_, queries_);
        block_.sync();  // nobody reads the keys
        units_.read_values(block_, 0);
    }
    /// P V of the tile before the last, and the last tile, by maxima that move.
    FADE_FN void end() {
        pieces_.count(block_, walk_.states);
        unrolled<units::pv_units>([&](int u) FADE_LAMBDA {
            if (u < units::pv_units - 1) units_.read_values(block_, u + 1);
            units_.mma_pv(block_, walk_.out, u);
        });
        Block::template schedule<0>();  // else what follows would begin here, and take registers
        walk_.keys.store(block_, Traits::tile_k());
        next_values();  // in the registers that the keys had
        softmax_tile<centering::none>(block_, scores_, walk_.out, walk_.states, scale_log2_);
        Block::template schedule<0>();
        block_.sync();  // nobody reads the values
        walk_.values.store(block_, Traits::tile_v());
        block_.sync();  // the last values are there
        walk_.product.mma_pv(block_, walk_.out, scores_);
        next_values();
    }
    FADE_FN void make_probabilities(scores_type& scores) {
        unrolled<pieces::pair_count>([&](int n) FADE_LAMBDA {
            pieces_.scale(block_, scores, n), pieces_.exponentiate(block_, scores, n);
            take_probabilities(scores, n);
        });
    }
    /// The probabilities of the tile before the one whose scores are there, by maxima that follow where it
    /// passed them by too much. Its keys have left shared memory; a wave reads them alone.
    FADE_FN void make_again() {
        auto keys = walk_.keys.from();
        keys.advance_rows(-2 * Traits::keys);  // the next ones are on their way
        scores_type scores;
        block::mma_qk_from_memory<Traits::head_dim>(block_, scores, keys, queries_);
        pieces_.move_passed(block_, scores, walk_.states, walk_.out, scale_log2_, max_tile_sum);
        make_probabilities(scores);
    }

    /// P V of a tile, whose probabilities are there, the probabilities of the next, whose scores are, and the
    /// scores of the one behind it.
    FADE_FN void tile_step() {
        scores_type next;
        pieces_.count(block_, walk_.states);
        unrolled<units::pv_units>([&](int u) FADE_LAMBDA { mma_pv(u); });
        wave::zero(block_, next);
        unrolled<units::qk_units>([&](int u) FADE_LAMBDA { mma_qk(next, u); });
        scores_ = next;
    }
    /// The barriers stand before a last unit whose operands are in registers already.
    FADE_FN void mma_pv(int u) {
        if (u < units::pv_units - 1) {
            copy_beside(u);
            units_.read_values(block_, u + 1);
        } else {
            block_.sync();  // the keys are there, and nobody reads the values
            units_.read_keys(block_, 0);
            copy_beside(u);
        }
        units_.mma_pv(block_, walk_.out, u);
        end_unit(u);
    }
    FADE_FN void mma_qk(scores_type& next, int u) {
        copy_beside(units::pv_units + u);
        if (u < units::qk_units - 1)
            units_.read_keys(block_, u + 1);
        else {
            block_.sync();  // the values are there, and nobody reads the keys
            units_.read_values(block_, 0);
        }
        units_.mma_qk(block_, next, queries_, u);
        end_unit(units::pv_units + u);
    }
    /// The next tiles are on their way in the same registers in turn.
    FADE_FN void copy_beside(int u) {
        if (u == copies.store_keys) walk_.keys.store(block_, Traits::tile_k());
        if (u == copies.load_values) next_values();
        if (u == copies.store_values) walk_.values.store(block_, Traits::tile_v());
        if (u == copies.load_keys) next_keys();
    }

    FADE_FN void end_unit(int u) {
        constexpr int pairs = pieces::pair_count;
        unrolled<pairs>([&](int n) FADE_LAMBDA {
            if (places::scaled(n) == u && places::exponentiated(n) == u) pieces_.scale(block_, scores_, n);
        });
        unrolled<pairs>([&](int n) FADE_LAMBDA {
            if (places::exponentiated(n) != u) return;
            pieces_.exponentiate(block_, scores_, n);
            take_probabilities(scores_, n);
        });
        unrolled<pairs>([&](int n) FADE_LAMBDA {
            if (places::scaled(n) == u && places::exponentiated(n) > u) pieces_.scale(block_, scores_, n);
        });
        Block::template spread<units::products_in_unit,
                               vector_mix{.exponentials = 1, .reads = 4, .others = 4}>();
    }
    /// They become operands as soon as those of a step are there.
    FADE_FN void take_probabilities(scores_type& probabilities, int n) {
        if (n % places::pairs_in_step == places::pairs_in_step - 1)
            units_.take_probabilities(block_, probabilities, n / places::pairs_in_step);
    }

    Block& block_;
    Walk& walk_;
    Queries& queries_;
    float scale_log2_;
    units units_;
    pieces pieces_;
    scores_type scores_;
};

/// Sends a walk back to its begin where some maximum of it was too far from zero, or made no numbers of
/// probabilities before it moved near; says whether.
template <class Traits, class Block, class Walk>
FADE_FN bool began_again(Block& block, Walk& walk, int tiles) {
    if (!block::states_passed(block, Traits::tile_v().base, walk.states, walk.scale_log2)) return false;
    walk.restart(block, tiles);
    return true;
}

/// Walks over `tiles` tiles that all queries see, unless they are too few for its form; returns how many it
/// took. None, too, where some maximum was too far from zero, or some output is none that f32 holds: the walk
/// stands at its begin again.
template <class Traits, class Block, class Walk, class Queries>
FADE_FN int step_software_pipelined(Block& block, Walk& walk, Queries& queries, float scale_log2, int tiles) {
    if (tiles < 3) return 0;
    walk_software_pipelined<Block, Traits, Walk, Queries>(block, walk, queries, scale_log2).run(tiles);
    if (!block::states_passed(block, Traits::tile_v().base, walk.states, walk.out, scale_log2)) return tiles;
    walk.restart(block, tiles);
    return 0;
}

}  // namespace FADE_NAMESPACE::kernel
