// A walk over keys by matrix units that four waves share: the scores of the next tile and the outputs of this
// one are multiplied while the vector ALU does a softmax. The order of FlashAttention-3 within a warpgroup
// (Shah et al. 2024).
#pragma once
#include <fade/block/chain/bounds.hpp>
#include <fade/block/chain/softmax_pieces.hpp>
#include <fade/block/wave_scores.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/attention/softmax.hpp>
#include <fade/kernel/attention/warpgroup/producer.hpp>

namespace FADE_NAMESPACE::kernel {

/// What a workgroup keeps while it walks over the keys.
template <class Block, class Traits, class Producer>
class warpgroup_walk {
    using layout_q = typename Traits::layout_q;
    using layout_k = typename Traits::layout_k;
    using scores_type = typename Traits::template scores<Block>;

public:
    static constexpr int keys_a_step = Traits::keys;
    typename Traits::template outputs<Block> out;
    softmax_states<Block, scores_type> states;
    float value_scale = 1;  // what the outputs are multiplied by at the end
    float scale_log2 = 1;   // what differences of scores are multiplied by

    FADE_FN warpgroup_walk(Block& block, const Producer& producer) : states(block), producer_(producer) {
        wave::zero(block, out);
    }

    /// Takes the queries and the first tile of keys: what is done before needs only arguments. `soften(walk,
    /// scores)` makes probabilities of scores.
    template <class Soften>
    FADE_FN void begin(Block& block, Soften soften) {
        block.await_inputs();
        producer_.begin(block);
        constexpr bool all_at_once =
            Traits::stages > 2 ||
            Producer::by_one_lane;  // decoding waits for memory, and one lane holds nothing
                                    // up; else later copies would hold up the first product
        if (all_at_once) copy_ahead(block);
        producer_.template first<all_at_once ? Traits::stages - 1 : 0>(block);
        mma_qk(block, 0);
        if (!all_at_once) copy_ahead(block);
        block::finish_products<0>(block, scores_);
        soften(*this, scores_);
        producer_.land(block, 1);
    }

    /// Weighs the values of tile n - 1, and takes tile n. `Stays`: maxima stay, but where a tile passes them
    /// by too much.
    template <bool Stays, class Soften>
    FADE_FN void step(Block& block, int n, Soften soften) {
        arrive<Stays>(block);
        const auto copy = [&] { producer_.start(block, n + Traits::stages - 1); };
        if (!Producer::by_one_lane) copy();
        probabilities_.take(block, scores_);
        mma_qk(block, n);
        if (Producer::by_one_lane) copy();  // before, the matrix unit would wait for that lane
        mma_pv(block, n - 1);
        block::finish_products<1>(block, scores_);
        soften(*this, scores_);
        producer_.land(block, n + 1);
        if constexpr (Stays) follow(block, n);
    }

    /// Scores become probabilities; the outputs are rescaled later.
    FADE_FN void soften(Block& block) {
        pieces_.find_maximum(block, scores_);
        pieces_.share_maximum(block);
        pieces_.update_maxima(block, states, scale_log2);
        pieces_.center(block, scores_, states);
        soften_pairs(block);
    }
    /// The same for the maxima of before. Remembers whether the tile passed them by more than operands hold.
    FADE_FN void soften_where_it_is(Block& block) {
        soften_pairs(block);
        passed_ = pieces_.passed(block, block::max_probability<typename Traits::element>);
    }
    FADE_FN void stay(Block& block) { pieces_.stay(block); }

    /// Remembers which maxima that stayed are too far from zero for single multiply-adds; only what began
    /// after it may move them.
    FADE_FN void keep_bounds(Block& block) { far_.keep(block, states, scale_log2); }
    /// Must the workgroup begin anew? All waves call it, behind the end; those that are not `busy` have
    /// softened nothing.
    FADE_FN bool must_restart(Block& block, bool busy) {
        return far_.any(block, Traits::tile_q(), out, busy);
    }

    /// Weighs the values of tile n, the last.
    FADE_FN void end(Block& block, int n) {
        arrive<false>(block);
        probabilities_.take(block, scores_);
        mma_pv(block, n);
        block::finish_products<0>(block, out);
    }

private:
    FADE_FN void soften_pairs(Block& block) { pieces_.soften_all(block, scores_, states); }
    FADE_FN void copy_ahead(Block& block) {
        unrolled<Traits::stages - 1>([&](int n) FADE_LAMBDA { producer_.start(block, n + 1); });
    }
    FADE_FN void mma_qk(Block& block, int n) {
        block::start_mma_qk<layout_q, layout_k>(block, scores_, Traits::tile_q(), Traits::tile_k(0),
                                                behind(n));
    }
    FADE_FN void mma_pv(Block& block, int n) {
        block::start_mma_pv<layout_k>(block, out, probabilities_, Traits::tile_v(0), behind(n));
    }
    /// How many bytes a tile of the rings lies behind the first.
    FADE_FN static int behind(int n) { return int(unsigned(n) % Traits::stages) * layout_k::bytes; }

    /// The outputs so far are there and shrunk; the tiles to read are there, and nobody reads those before.
    /// The compiler moves no softmax behind this wait for products, because it stands at the head of a loop.
    template <bool Stays>
    FADE_FN void arrive(Block& block) {
        block::finish_products<0>(block, out);
        if constexpr (!Stays) pieces_.rescale_moved(block, out);
        producer_.release(block);
    }
    /// Maxima that tile n passed by too much follow it, and what was made by them. Waves do it by themselves.
    FADE_FN void follow(Block& block, int n) {
        if (!Block::any_lane(passed_)) return;
        block::finish_products<0>(block, out);
        const bool infinite = pieces_.follow(block, scores_, states, scale_log2,
                                             block::max_probability<typename Traits::element>);
        pieces_.rescale_rows(block, out);
        if constexpr (Traits::rescores)
            if (Block::any_lane(infinite)) soften_again(block, n);
        pieces_.stay(block);
        passed_ = false;
    }
    /// Tile n from its keys on, where a probability of it is infinite; beside that its row saw nothing
    /// before.
    FADE_FN void soften_again(Block& block, int n) {
        block::wave_scores<typename Traits::wave_atom, layout_q, layout_k, Block, scores_type>::make(
            block, scores_, Traits::tile_q(), Traits::tile_k(int(unsigned(n) % Traits::stages)));
        pieces_.forget_infinite(block, states);
        pieces_.find_maximum(block, scores_);
        pieces_.share_maximum(block);
        pieces_.update_maxima(block, states, scale_log2);
        soften_pairs(block);
        pieces_.count_once(block, states);
        pieces_.rescale_rows(block, out);
    }

    Producer producer_;
    scores_type scores_;
    block::chained_operand<Block, scores_type> probabilities_;
    block::softmax_pieces<Block, Traits> pieces_;
    bool passed_ = false;  // of some lane that this object holds
    block::remembered_bounds<Block> far_;
};

}  // namespace FADE_NAMESPACE::kernel
