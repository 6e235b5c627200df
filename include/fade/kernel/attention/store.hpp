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

/// Rows of outputs: where query 0 of a sequence begins, and how far apart they are.
template <class T>
struct output_rows {
    T* base;
    int stride;
};

/// Outputs over their sums; `log_of(query, logarithm of the sum to base 2)` takes those. A query that sees no key gets zeros and minus infinity.
template <class Traits, class Block, class Walk, class Args, class T, class F>
FADE_FN void store_averages(Block& block, Walk& walk, const Args& args, const query_tile& tile, const output_rows<T>& to, F log_of) {
    using atom = typename Traits::atom;
    finish_sums(block, walk.states);
    const auto memory = block.global(to.base + index(tile.first_query) * to.stride, to.base, to.base + index(tile.extent.query_count - 1) * to.stride + args.output_dim);
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int j = 0; j < Traits::columns; ++j) FADE_UNROLL
            for (int c = 0; c < walk.states.slots; ++c) {
                const softmax_state& state = walk.states.lanes[p].of[j][c];
                const int row = p.wave * Traits::wave_queries + j * atom::n + atom::d_at(p.lane, c).minor;
                const bool exists = tile.first_query + row < tile.extent.query_count;
                const float inverse = state.sum == 0 ? 0.0f : walk.value_scale / state.sum;
                FADE_UNROLL
                for (int i = 0; i < walk.out.rows; ++i) FADE_UNROLL
                    for (int g = c; g < atom::d_size; g += atom::lane_columns) {
                        const int column = tile.first_column + i * atom::m + atom::d_at(p.lane, g).major;
                        const auto offset = std::uint32_t(row * to.stride + column) * std::uint32_t(sizeof(T));
                        memory.store(exists && column < args.output_dim ? offset : backend::outside, convert<T>(walk.out.at(p, i, j)[g] * inverse));
                    }
                if (exists && atom::d_at(p.lane, c).major == 0 && tile.first_column == 0) log_of(tile.first_query + row, state.maximum + Block::log2(state.sum));
            }
    });
}

template <class Traits, class Block, class Walk, class Args>
FADE_FN void store_attention(Block& block, Walk& walk, const Args& args, const query_tile& tile) {
    using out = std::remove_cvref_t<decltype(*args.o)>;
    const output_rows<out> to{args.o + tile.batch * args.o_strides.batch + tile.head * args.o_strides.head + index(tile.extent.output_begin) * args.o_strides.position, args.o_strides.position};
    store_averages<Traits>(block, walk, args, tile, to, [&](int query, float logarithm) {
        if (args.lse) args.lse[(index(tile.batch) * args.heads + tile.head) * args.seq_q + query] = logarithm * ln_2;
    });
}

}  // namespace fade::kernel
