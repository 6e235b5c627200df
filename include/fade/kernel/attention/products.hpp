// The two products of attention and their operands.
#pragma once
#include <fade/block/mma_chain.hpp>
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/wave/convert.hpp>
#include <fade/wave/load_transposed.hpp>

namespace FADE_NAMESPACE::kernel {

/// One head of a [batch, position, head, dim] tensor from a position on: rows are positions, k is the head's
/// dimension.
template <class T>
FADE_FN block::bounded_operand<T> operand_of(const T* begin, const sequence_strides& s, int first, int length,
                                             int head_dim) {
    const T* end = length > 0 ? begin + index(length - 1) * s.position + head_dim : begin;
    return {{begin + index(first) * s.position, begin, end, s.position, 1, 1 << 30}, head_dim};
}

/// Query 0 of a sequence and head.
template <class Args>
FADE_FN auto query_begin(const Args& args, const query_tile& at) {
    return args.q + at.batch * args.q_strides.batch + at.head * args.q_strides.head +
           index(at.extent.query_begin) * args.q_strides.position;
}
template <class Args>
FADE_FN auto queries_of(const Args& args, const query_tile& at) {
    return operand_of(query_begin(args, at), args.q_strides, at.first_query, at.extent.query_count,
                      args.head_dim);
}
template <class Args>
FADE_FN auto keys_of_head(const Args& args, const query_tile& at, int first) {
    const auto* begin = args.k + at.batch * args.k_strides.batch +
                        at.head / args.group * args.k_strides.head +
                        index(at.extent.key_begin) * args.k_strides.position;
    return operand_of(begin, args.k_strides, first, at.extent.key_count, args.head_dim);
}
/// Only the columns that the workgroup makes.
template <class Args>
FADE_FN auto values_of_head(const Args& args, const query_tile& at, int first) {
    const auto* begin = args.v + at.batch * args.v_strides.batch +
                        at.head / args.group * args.v_strides.head +
                        index(at.extent.key_begin) * args.v_strides.position;
    return operand_of(begin + at.first_column, args.v_strides, first, at.extent.key_count,
                      args.value_dim - at.first_column);
}

/// Values are read as V^T: rows are the head's dimension, k the positions.
template <class T>
FADE_FN block::bounded_operand<T> transposed(block::bounded_operand<T> o) {
    return {{o.tile, o.begin, o.end, 1, o.row_stride, o.depth},
            1 << 30};  // the head's dimension bounds the rows now
}

/// Q as operand B of the scores: in registers for the whole loop, or in shared memory.
template <class Block, class Traits>
class query_operand {
    using atom = typename Traits::atom;
    static constexpr int size = atom::lane_columns * atom::lane_k, steps = Traits::span / Traits::step;
    struct nothing {};
    using kept_registers =
        std::conditional_t<Traits::kept,
                           wave::kept_operand<Block, typename atom::element, size, Traits::columns, steps>,
                           nothing>;

public:
    FADE_FN explicit query_operand(Block& block)
        : reader_(
              block, [](int wave) { return wave * Traits::wave_queries; },
              [](int lane, int c) {
                  return block::lane_start{atom::b_column(lane, c), atom::k_group(lane) * atom::lane_k};
              }) {}

    /// All waves call it; after it the registers hold the queries, or shared memory does for all waves.
    template <class Rows>
    FADE_FN void load(Block& block, const Rows& from) {
        block::tile_loader<Block, typename Rows::element, typename Traits::layout_q,
                           block::memory_order::k_contiguous, Rows>
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

/// Both products, with the addresses of their operands.
template <class Block, class Traits>
class products {
    using atom = typename Traits::atom;
    template <class Layout>
    using reader_of =
        wave::operand_reader<Block, Layout, atom::m, atom::lane_rows, atom::lane_k, atom::k_groups>;
    using value_reader = std::conditional_t<Traits::transposing,
                                            wave::transposing_reader<Block, typename Traits::layout_v, atom>,
                                            reader_of<typename Traits::layout_v>>;

public:
    FADE_FN explicit products(Block& block)
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
            block::multiply_steps<cut<Traits::span>()>(block, w, scores, keys_, Traits::tile_k().base, take);
        });
    }

    /// outputs += V^T P^T for the values in shared memory and the probabilities in `probabilities`.
    template <class Outputs, class Scores>
    FADE_FN void mma_pv(Block& block, Outputs& outputs, Scores& probabilities) {
        probabilities_.put(block, probabilities);
        block.each_wave([&](wave_coord w) {
            const auto take = [&](int s, auto& to) { probabilities_.take(block, w, probabilities, s, to); };
            block::multiply_steps<cut<Traits::keys>()>(block, w, outputs, values_, Traits::tile_v().base,
                                                       take);
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
    static constexpr block::chain_cut cut() {
        return {.steps = Depth / Traits::step,
                .rows_at_once = Traits::rows_at_once,
                .steps_in_run = Traits::steps_in_run,
                .ahead = !Traits::chained};
    }
    FADE_FN static int first_row(int) { return 0; }  // every wave reads all keys
    FADE_FN static block::lane_start start(int lane, int r) {
        return {atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k};
    }

    reader_of<typename Traits::layout_k::plain> keys_;
    value_reader values_;
    std::conditional_t<
        Traits::chained, wave::chained_in_registers<Block, atom>,
        wave::chained_through_shared<Block, atom, typename Traits::layout_p, Traits::wave_queries>>
        probabilities_;
};

}  // namespace FADE_NAMESPACE::kernel
