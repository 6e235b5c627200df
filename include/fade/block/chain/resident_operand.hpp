// Q as an operand that stays while others pass.
#pragma once
#include <fade/block/copy.hpp>
#include <fade/block/mma.hpp>
#include <fade/block/mma_chain.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Operand B of the first product: in registers for the whole loop, or in shared memory.
template <class Block, class Traits>
class resident_operand {
    using atom = typename Traits::atom;
    static constexpr int size = atom::lane_columns * atom::lane_k, steps = Traits::span / Traits::step;
    struct nothing {};
    using kept_registers =
        std::conditional_t<Traits::kept,
                           wave::kept_operand<Block, typename atom::element, size, Traits::columns, steps>,
                           nothing>;

public:
    FADE_FN explicit resident_operand(Block& block)
        : reader_(
              block, [](int wave) { return wave * Traits::wave_queries; },
              [](int lane, int c) {
                  return lane_start{atom::b_column(lane, c), atom::k_group(lane) * atom::lane_k};
              }) {}

    /// All waves call it; after it the registers hold the queries, or shared memory does for all waves.
    template <class Rows>
    FADE_FN void load(Block& block, const Rows& from) {
        tile_loader<Block, typename Rows::element, typename Traits::layout_q, memory_order::k_contiguous,
                    Rows>
            loader(block, from);
        loader.load(block);
        loader.store(block, Traits::tile_q());
        block.sync();
        if constexpr (Traits::kept) keep(block);
    }

    /// The fragment of one step, for one wave.
    FADE_FN void take(Block& block, wave_coord w, int s, typename Traits::template fragment_b<Block>& to) {
        if constexpr (Traits::kept)
            block.each_lane_of(w, [&](lane_coord p) {
                FADE_UNROLL
                for (int j = 0; j < Traits::columns; ++j) to.at(p.lane, j) = kept_.step(w, s).at(p.lane, j);
            });
        else
            reader_.load(block, w, Traits::tile_q().base, s, to);
    }

private:
    FADE_FN void keep(Block& block) {
        block.each_wave([&](wave_coord w) {
            FADE_UNROLL
            for (int s = 0; s < steps; ++s) {
                typename Traits::template fragment_b<Block> part;
                reader_.load(block, w, Traits::tile_q().base, s, part);
                block.each_lane_of(w, [&](lane_coord p) {
                    FADE_UNROLL
                    for (int j = 0; j < Traits::columns; ++j)
                        kept_.step(w, s).at(p.lane, j) = part.at(p.lane, j);
                });
            }
        });
        block.sync();  // shared memory is free for keys and values
    }

    wave::operand_reader<Block, typename Traits::layout_q, atom::n, atom::lane_columns, atom::lane_k,
                         atom::k_groups>
        reader_;
    kept_registers kept_;
};

}  // namespace FADE_NAMESPACE::block
