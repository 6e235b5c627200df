// The end of attention: outputs over their sums, and the logarithm of the sums.
#pragma once
#include <fade/kernel/attention/products.hpp>
#include <fade/kernel/attention/softmax.hpp>

namespace fade::kernel {

/// Every lane that shares a query gets the whole sum.
template <class Block, class States>
FADE_FN void finish_sums(Block& block, States& states) {
    block.each_wave([&](wave_place w) {
        FADE_UNROLL
        for (int j = 0; j < States::columns; ++j) FADE_UNROLL
            for (int c = 0; c < States::slots; ++c) {
                wave::lane_values<Block, float> sums;
                block.each_lane_of(w, [&](place p) { sums.at(p.lane) = states.lanes[p].of[j][c].sum; });
                wave::share_columns<typename States::atom>(block, w, sums, [](float a, float b) { return a + b; });
                block.each_lane_of(w, [&](place p) { states.lanes[p].of[j][c].sum = sums.at(p.lane); });
            }
    });
}

/// A query that sees no key gets zeros, and minus infinity for its logarithm.
template <class Traits, class Block, class Outputs, class States, class Args>
FADE_FN void store_attention(Block& block, Outputs& outputs, States& states, const Args& args, const query_tile& tile) {
    using atom = typename Traits::atom;
    using out = std::remove_cvref_t<decltype(*args.o)>;
    finish_sums(block, states);
    out* base = args.o + tile.batch * args.o_strides.batch + tile.head * args.o_strides.head + index(tile.extent.output_begin) * args.o_strides.position;
    const auto memory = block.global(base + index(tile.first_query) * args.o_strides.position, base, base + index(tile.extent.query_count - 1) * args.o_strides.position + args.output_dim);
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int j = 0; j < Traits::columns; ++j) FADE_UNROLL
            for (int c = 0; c < States::slots; ++c) {
                const softmax_state& state = states.lanes[p].of[j][c];
                const int row = p.wave * Traits::wave_queries + j * atom::n + atom::d_at(p.lane, c).minor;
                const bool exists = tile.first_query + row < tile.extent.query_count;
                const float inverse = state.sum == 0 ? 0.0f : 1.0f / state.sum;
                FADE_UNROLL
                for (int i = 0; i < Outputs::rows; ++i) FADE_UNROLL
                    for (int g = c; g < atom::d_size; g += atom::lane_columns) {
                        const int column = tile.first_column + i * atom::m + atom::d_at(p.lane, g).major;
                        const auto offset = std::uint32_t(row * args.o_strides.position + column) * std::uint32_t(sizeof(out));
                        memory.store(exists && column < args.output_dim ? offset : backend::outside, convert<out>(outputs.at(p, i, j)[g] * inverse));
                    }
                if (args.lse && exists && atom::d_at(p.lane, c).major == 0 && tile.first_column == 0)
                    args.lse[(index(tile.batch) * args.heads + tile.head) * args.seq_q + tile.first_query + row] = (state.maximum + Block::log2(state.sum)) * 0.69314718f;
            }
    });
}

}  // namespace fade::kernel
