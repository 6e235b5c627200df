// Two products of which the second reads what became of the first: S = K Q^T, and O += V^T P.
#pragma once
#include <fade/block/mma.hpp>
#include <fade/block/mma_chain.hpp>
#include <fade/wave/chain.hpp>
#include <fade/wave/convert.hpp>
#include <fade/wave/load_transposed.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Both products, with the addresses of their operands.
template <class Block, class Traits>
class chain_products {
    using atom = typename Traits::atom;
    template <class Layout>
    using reader_of =
        wave::operand_reader<Block, Layout, atom::m, atom::lane_rows, atom::lane_k, atom::k_groups>;
    using value_reader = std::conditional_t<Traits::transposing,
                                            wave::transposing_reader<Block, typename Traits::layout_v, atom>,
                                            reader_of<typename Traits::layout_v>>;

public:
    FADE_FN explicit chain_products(Block& block)
        : keys_(block, first_row, start), values_(block, first_row, start),
          probabilities_(block, Traits::tile_p()) {}

    /// scores = K Q^T for the keys in shared memory.
    template <class Scores, class Queries>
    FADE_FN void mma_qk(Block& block, Scores& scores, Queries& queries) {
        wave::zero(block, scores);
        add_scores(block, scores, queries);
    }
    template <class Scores, class Queries>
    FADE_FN void add_scores(Block& block, Scores& scores, Queries& queries) {
        block.each_wave([&](wave_coord w) {
            const auto take = [&](int s, auto& to) { queries.take(block, w, s, to); };
            multiply_steps<cut<Traits::span>()>(block, w, scores, keys_, Traits::tile_k().base, take);
        });
    }

    /// outputs += V^T P^T for the values in shared memory and the probabilities in `probabilities`.
    template <class Outputs, class Scores>
    FADE_FN void mma_pv(Block& block, Outputs& outputs, Scores& probabilities) {
        probabilities_.put(block, probabilities);
        block.each_wave([&](wave_coord w) {
            const auto take = [&](int s, auto& to) { probabilities_.take(block, w, probabilities, s, to); };
            multiply_steps<cut<Traits::keys>()>(block, w, outputs, values_, Traits::tile_v().base, take);
        });
    }

    /// Fragments of neighbouring atoms at step s of a tile, from atom `first` on, and the
    /// probabilities of step s.
    template <class Fragment>
    FADE_FN void read_keys(Block& block, wave_coord w, int s, int first, Fragment& to) {
        keys_.load(block, w, Traits::tile_k().base, s, to, first);
    }
    template <class Fragment>
    FADE_FN void read_values(Block& block, wave_coord w, int s, int first, Fragment& to) {
        values_.load(block, w, Traits::tile_v().base, s, to, first);
    }
    template <class Scores, class Fragment>
    FADE_FN void take_probabilities(Block& block, wave_coord w, Scores& probabilities, int s, Fragment& to) {
        probabilities_.take(block, w, probabilities, s, to);
    }

private:
    /// How a product over `Depth` steps of k is cut.
    template <int Depth>
    static constexpr chain_cut cut() {
        return {.steps = Depth / Traits::step,
                .rows_at_once = Traits::rows_at_once,
                .steps_in_run = Traits::steps_in_run,
                .ahead = !Traits::chained};
    }
    FADE_FN static int first_row(int) { return 0; }  // every wave reads all keys
    FADE_FN static lane_start start(int lane, int r) {
        return {atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k};
    }

    reader_of<typename Traits::layout_k::plain> keys_;
    value_reader values_;
    std::conditional_t<
        Traits::chained, wave::chained_in_registers<Block, atom>,
        wave::chained_through_shared<Block, atom, typename Traits::layout_p, Traits::wave_queries>>
        probabilities_;
};

}  // namespace FADE_NAMESPACE::block
