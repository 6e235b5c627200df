// Chained products in units of a few matrix instructions, whose operands are read a unit ahead, so
// that other work can stand beside each.
#pragma once
#include <fade/block/chain/products.hpp>

namespace FADE_NAMESPACE::block {

/// A unit is two atoms of keys or values at one step of k; `products` has the addresses. Fragments alternate
/// between two sets.
template <class Block, class Traits>
class product_units {
    using atom = typename Traits::atom;
    static constexpr int rows = 2, slices = Traits::step / atom::k,
                         size_b = atom::lane_columns * atom::lane_k;
    static_assert(Traits::key_rows % rows == 0 && Traits::value_rows % rows == 0,
                  "keys and values of a tile are pairs of atoms");

public:
    static constexpr int keys_in_step = Traits::key_rows / rows, values_in_step = Traits::value_rows / rows;
    static constexpr int qk_units = Traits::head_dim / Traits::step * keys_in_step,
                         pv_units = Traits::keys / Traits::step * values_in_step, all = qk_units + pv_units;
    static constexpr int products_in_unit = rows * slices * Traits::columns;

    FADE_FN explicit product_units(chain_products<Block, Traits>& products) : products_(products) {}

    FADE_FN void read_keys(Block& block, int unit) {
        block.each_wave([&](wave_coord w) {
            auto to = sets_.of(w, unit % 2);
            products_.read_keys(block, w, unit / keys_in_step, unit % keys_in_step * rows, to);
        });
    }
    FADE_FN void read_values(Block& block, int unit) {
        block.each_wave([&](wave_coord w) {
            auto to = sets_.of(w, unit % 2);
            products_.read_values(block, w, unit / values_in_step, unit % values_in_step * rows, to);
        });
    }

    /// scores += K Q^T for keys that were read.
    template <class Scores, class Queries>
    FADE_FN void mma_qk(Block& block, Scores& scores, Queries& queries, int unit) {
        block.each_wave([&](wave_coord w) {
            typename Traits::template fragment_b<Block> b;
            queries.take(block, w, unit / keys_in_step, b);
            multiply(block, w, scores, unit % keys_in_step * rows, b, unit);
        });
    }

    /// Makes operands of the probabilities of step s.
    template <class Scores>
    FADE_FN void take_probabilities(Block& block, Scores& probabilities, int s) {
        block.each_wave([&](wave_coord w) {
            typename Traits::template fragment_b<Block> b;
            products_.take_probabilities(block, w, probabilities, s, b);
            block.each_lane_of(w, [&](lane_coord p) {
                FADE_UNROLL
                for (int j = 0; j < Traits::columns; ++j)
                    probabilities_.step(w, s).at(p.lane, j) = b.at(p.lane, j);
            });
        });
    }

    /// outputs += V^T P^T for values that were read, and probabilities that were taken.
    template <class Outputs>
    FADE_FN void mma_pv(Block& block, Outputs& outputs, int unit) {
        block.each_wave([&](wave_coord w) {
            auto b = probabilities_.step(w, unit / values_in_step);
            multiply(block, w, outputs, unit % values_in_step * rows, b, unit);
        });
    }

private:
    template <class Acc, class B>
    FADE_FN void multiply(Block& block, wave_coord w, Acc& acc, int first, B& b, int unit) {
        auto set = sets_.of(w, unit % 2);
        wave::later_tiles<decltype(set)> a{set, first};
        wave::mma_rows<slices, rows>(block, w, acc, a, b, first);
    }

    chain_products<Block, Traits>& products_;
    wave::register_sets<Block, typename atom::element, atom::lane_rows * atom::lane_k, rows, 2> sets_;
    wave::kept_operand<Block, typename atom::element, size_b, Traits::columns, Traits::keys / Traits::step>
        probabilities_;
};

}  // namespace FADE_NAMESPACE::block
