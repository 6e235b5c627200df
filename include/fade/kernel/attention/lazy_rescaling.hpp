// Walks that leave the maxima of queries where they are while what a tile adds is small: outputs and sums
// then need no rescaling. After the first tiles few maxima still grow by much; probabilities may pass 1 up to
// a bound, which divides out. Zadouri et al., "FlashAttention-4" (2026).
#pragma once
#include <fade/kernel/attention/software_pipeline.hpp>

namespace FADE_NAMESPACE::kernel {

/// Takes a walk over tiles that all queries see, and leaves it as its own steps would.
template <class Block, class Traits, class Walk, class Queries>
class walk_with_lazy_rescaling {
    using pieces = block::softmax_pieces<Block, Traits>;

public:
    FADE_FN walk_with_lazy_rescaling(Block& block, Walk& walk, Queries& queries, float scale_log2)
        : block_(block), walk_(walk), queries_(queries), scale_log2_(scale_log2) {}

    /// Tiles whose maxima move leave the inner loop, so that those that stay pay for nothing else.
    FADE_FN void run(int tiles) {
        mma_qk();
        for (;;) {
            pieces_.move_maximum(block_, walk_.states, walk_.out, scale_log2_);
            do {
                mma_pv();
                if (--tiles == 0) return;
                mma_qk();
            } while (!pieces_.must_move(block_, walk_.states, scale_log2_));
        }
    }

private:
    FADE_FN void mma_qk() {
        walk_.begin_step(block_, queries_, scores_);
        pieces_.find_maximum(block_, scores_);
    }
    FADE_FN void mma_pv() {
        pieces_.soften_all(block_, scores_, walk_.states);
        walk_.end_step(block_, scores_);
    }

    Block& block_;
    Walk& walk_;
    Queries& queries_;
    float scale_log2_;
    pieces pieces_;
    typename Traits::template scores<Block> scores_;
};

/// Walks over `tiles` tiles; returns how many. None where some maximum was too far from zero: the walk stands
/// at its begin again.
template <class Traits, class Block, class Walk, class Queries>
FADE_FN int step_with_lazy_rescaling(Block& block, Walk& walk, Queries& queries, int tiles) {
    if (tiles <= 0) return 0;
    walk_with_lazy_rescaling<Block, Traits, Walk, Queries>(block, walk, queries, walk.scale_log2).run(tiles);
    return began_again<Traits>(block, walk, tiles) ? 0 : tiles;
}

}  // namespace FADE_NAMESPACE::kernel
