// The two products of attention and their operands.
#pragma once
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/wave/convert.hpp>
#include <fade/wave/mma.hpp>

namespace fade::kernel {

/// The queries of one head that a workgroup takes.
struct query_tile {
    int first_query, head, batch;
};

/// One head of a [batch, position, head, dim] tensor from a position on: rows are positions, k is the head's dimension.
template <class T>
FADE_FN block::bounded_operand<T> operand_of(const T* all, const sequence_strides& s, int batch, int head, int first, int length, int head_dim) {
    const T* begin = all + batch * s.batch + head * s.head;
    const T* end = length > 0 ? begin + index(length - 1) * s.position + head_dim : begin;
    return {{begin + index(first) * s.position, begin, end, s.position, 1, 1 << 30}, head_dim};
}

template <class Traits, class T>
FADE_FN block::bounded_operand<T> keys_operand(block::bounded_operand<T> o) { return o; }

/// Values are read as V^T: rows are the head's dimension, k the positions.
template <class Traits, class T>
FADE_FN block::bounded_operand<T> values_operand(block::bounded_operand<T> o) {
    return {{o.tile, o.begin, o.end, 1, o.row_stride, o.depth}, 1 << 30};
}

/// Q as operand B of the scores, in registers for the whole loop.
template <class Block, class Traits>
class query_operand {
    using atom = typename Traits::atom;
    using element = typename atom::element;
    static constexpr int size = atom::lane_columns * atom::lane_k, steps = Traits::head_dim / (atom::lane_k * atom::k_groups);

public:
    FADE_FN explicit query_operand(Block&) {}

    /// Passes through shared memory; all waves call it, and may overwrite shared memory after it.
    template <block::memory_order Order, class T>
    FADE_FN void load(Block& block, const block::bounded_operand<T>& from) {
        block::tile_loader<Block, T, typename Traits::layout_q, Order, block::bounded_operand<T>> loader(block, from);
        loader.load(block);
        loader.store(block, Traits::tile_q());
        block.sync();
        wave::operand_reader<Block, typename Traits::layout_q, atom::n, atom::lane_columns, atom::lane_k, atom::k_groups> reader(
            block, [](int wave) { return wave * Traits::wave_queries; }, [](int lane, int c) { return block::lane_start{atom::b_column(lane, c), atom::k_group(lane) * atom::lane_k}; });
        block.each_wave([&](wave_place w) {
            FADE_UNROLL
            for (int s = 0; s < steps; ++s) {
                wave::operand_fragment<Block, element, size, Traits::columns> part;
                reader.load(block, w, Traits::tile_q().base, s, part);
                block.each_lane_of(w, [&](place p) {
                    FADE_UNROLL
                    for (int j = 0; j < Traits::columns; ++j) kept_.step(w, s).at(p.lane, j) = part.at(p.lane, j);
                });
            }
        });
        block.sync();
    }

    FADE_FN auto step(wave_place w, int s) { return kept_.step(w, s); }

private:
    wave::kept_operand<Block, element, size, Traits::columns, steps> kept_;
};

/// Holds the addresses of both products.
template <class Block, class Traits>
class products {
    using atom = typename Traits::atom;
    using element = typename atom::element;
    using plain_k = typename Traits::layout_k::plain;
    template <class Layout>
    using reader_of = wave::operand_reader<Block, Layout, atom::m, atom::lane_rows, atom::lane_k, atom::k_groups>;
    static constexpr int slices = atom::lane_k * atom::k_groups / atom::k, step = atom::lane_k * atom::k_groups;

public:
    FADE_FN explicit products(Block& block) : keys_(block, first_row, start_a), values_(block, first_row, start_a), weights_(block) {}

    /// scores = K Q^T for the keys in shared memory.
    template <class Scores, class Queries>
    FADE_FN void score(Block& block, Scores& scores, Queries& queries) {
        wave::zero(block, scores);
        block.each_wave([&](wave_place w) {
            FADE_UNROLL
            for (int s = 0; s < Traits::head_dim / step; ++s) {
                wave::operand_fragment<Block, element, atom::lane_rows * atom::lane_k, Traits::key_rows> a;
                keys_.load(block, w, Traits::tile_k().base, s, a);
                auto b = queries.step(w, s);
                multiply(block, w, scores, a, b);
            }
        });
    }

    /// outputs += V^T P^T for the values in shared memory and the probabilities in `weights`.
    template <class Outputs, class Scores>
    FADE_FN void weigh(Block& block, Outputs& outputs, Scores& weights) {
        weights_.put(block, weights);
        block.each_wave([&](wave_place w) {
            FADE_UNROLL
            for (int s = 0; s < Traits::keys / step; ++s) {
                wave::operand_fragment<Block, element, atom::lane_rows * atom::lane_k, Traits::value_rows> a;
                wave::operand_fragment<Block, element, atom::lane_columns * atom::lane_k, Traits::columns> b;
                values_.load(block, w, Traits::tile_v().base, s, a);
                weights_.take(block, w, weights, s, b);
                multiply(block, w, outputs, a, b);
            }
        });
    }

private:
    FADE_FN static int first_row(int) { return 0; }   // every wave reads all keys
    FADE_FN static block::lane_start start_a(int lane, int r) { return {atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k}; }

    template <class Acc, class A, class B>
    FADE_FN void multiply(Block& block, wave_place w, Acc& acc, A& a, B& b) {
        FADE_UNROLL
        for (int slice = 0; slice < slices; ++slice) FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
                for (int j = 0; j < Acc::columns; ++j) wave::mma(block, w, acc, a, b, i, j, slice);
    }

    reader_of<plain_k> keys_;
    reader_of<typename Traits::layout_v> values_;
    std::conditional_t<Traits::chained, wave::chained_weights<Block, atom>, wave::shared_weights<Block, Traits>> weights_;
};

}  // namespace fade::kernel
