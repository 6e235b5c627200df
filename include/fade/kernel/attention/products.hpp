// The two products of attention and their operands.
#pragma once
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/wave/convert.hpp>
#include <fade/wave/load_transposed.hpp>
#include <fade/wave/mma.hpp>

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
    FADE_FN void take(Block& block, wave_place w, int s, typename Traits::template fragment_b<Block>& to) {
        if constexpr (Traits::kept)
            block.each_lane_of(w, [&](place p) {
                FADE_UNROLL
                for (int j = 0; j < Traits::columns; ++j) to.at(p.lane, j) = kept_.step(w, s).at(p.lane, j);
            });
        else
            reader_.load(block, w, Traits::tile_q().base, s, to);
    }

private:
    FADE_FN void keep(Block& block) {
        block.each_wave([&](wave_place w) {
            FADE_UNROLL
            for (int s = 0; s < steps; ++s) {
                typename Traits::template fragment_b<Block> part;
                reader_.load(block, w, Traits::tile_q().base, s, part);
                block.each_lane_of(w, [&](place p) {
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
        : keys_(block, first_row, start), values_(block, first_row, start), weights_(block) {}

    /// scores = K Q^T for the keys in shared memory.
    template <class Scores, class Queries>
    FADE_FN void score(Block& block, Scores& scores, Queries& queries) {
        wave::zero(block, scores);
        add_scores(block, scores, queries);
    }
    template <class Scores, class Queries>
    FADE_FN void add_scores(Block& block, Scores& scores, Queries& queries) {
        block.each_wave([&](wave_place w) {
            const auto take = [&](int s, auto& to) { queries.take(block, w, s, to); };
            multiply_steps<Traits::span / Traits::step>(block, w, scores, keys_, Traits::tile_k().base, take);
        });
    }

    /// outputs += V^T P^T for the values in shared memory and the probabilities in `weights`.
    template <class Outputs, class Scores>
    FADE_FN void weigh(Block& block, Outputs& outputs, Scores& weights) {
        weights_.put(block, weights);
        block.each_wave([&](wave_place w) {
            const auto take = [&](int s, auto& to) { weights_.take(block, w, weights, s, to); };
            multiply_steps<Traits::keys / Traits::step>(block, w, outputs, values_, Traits::tile_v().base,
                                                        take);
        });
    }

    /// Fragments of neighbouring atoms at step s of the tile of a stage, from atom `first` on, and the
    /// weights of step s.
    template <class Fragment>
    FADE_FN void read_keys(Block& block, wave_place w, int stage, int s, int first, Fragment& to) {
        keys_.load(block, w, Traits::tile_k(stage).base, s, to, first);
    }
    template <class Fragment>
    FADE_FN void read_values(Block& block, wave_place w, int stage, int s, int first, Fragment& to) {
        values_.load(block, w, Traits::tile_v(stage).base, s, to, first);
    }
    template <class Scores, class Fragment>
    FADE_FN void take_weights(Block& block, wave_place w, Scores& weights, int s, Fragment& to) {
        weights_.take(block, w, weights, s, to);
    }

private:
    FADE_FN static int first_row(int) { return 0; }  // every wave reads all keys
    FADE_FN static block::lane_start start(int lane, int r) {
        return {atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k};
    }

    /// `take(s, b)` fills operand B of step s.
    template <int Steps, class Acc, class Reader, class Take>
    FADE_FN void multiply_steps(Block& block, wave_place w, Acc& acc, Reader& reader, std::uint32_t base,
                                Take take) {
        if constexpr (Traits::chained) {
            FADE_UNROLL
            for (int s = 0; s < Steps; ++s) multiply(block, w, acc, reader, base, s, take);
        } else
            multiply_ahead<Steps>(block, w, acc, reader, base, take);
    }

    /// One step.
    template <class Acc, class Reader, class Take>
    FADE_FN void multiply(Block& block, wave_place w, Acc& acc, Reader& reader, std::uint32_t base, int s,
                          Take take) {
        constexpr int rows = least(Traits::rows_at_once, Acc::rows);
        static_assert(Acc::rows % rows == 0,
                      "the atoms of keys and values are whole groups of what is read at once");
        typename Traits::template fragment_b<Block> b;
        FADE_UNROLL
        for (int first = 0; first < Acc::rows; first += rows) {
            typename Traits::template fragment_a<Block, rows> part;
            reader.load(block, w, base, s, part, first);
            if (first == 0) take(s, b);
            wave::later_tiles<decltype(part)> a{part, first};
            wave::mma_rows<Traits::step / atom::k, rows>(block, w, acc, a, b, first);
        }
    }

    /// All steps of outer products, each read beside the one before; many of them by a loop, whose last reads
    /// step 0 once more, since compilers take long over long code.
    template <int Steps, class Acc, class Reader, class Take>
    FADE_FN void multiply_ahead(Block& block, wave_place w, Acc& acc, Reader& reader, std::uint32_t base,
                                Take take) {
        static_assert(Traits::rows_at_once >= Acc::rows,
                      "outer products read all rows of a step at once: rows_at_once is 0");
        constexpr int turn = Steps > 64 ? 32 : Steps;
        static_assert(Steps % turn == 0 && turn % 2 == 0, "steps come in whole turns, of pairs");
        stepped_operands<Acc> even, odd;
        const auto read = [&](int s, stepped_operands<Acc>& to) {
            reader.load(block, w, base, s, to.a), take(s, to.b);
        };
        const auto multiply = [&](int s, stepped_operands<Acc>& by) {
            wave::mma_all<Traits::step / atom::k>(block, w, acc, by.a, by.b);
            if (s % Traits::steps_in_run == Traits::steps_in_run - 1)
                Block::template schedule<0>();  // what is read for all steps would not fit the registers
        };
        read(0, even);
        FADE_ROLLED
        for (int first = 0; first < Steps; first += turn) FADE_UNROLL
        for (int s = 0; s < turn; s += 2) {
            read(first + s + 1, odd);
            multiply(s, even);
            if (turn < Steps || s + 2 < turn) read(first + s + 2 < Steps ? first + s + 2 : 0, even);
            multiply(s + 1, odd);
        }
    }
    template <class Acc>
    struct stepped_operands {
        typename Traits::template fragment_a<Block, Acc::rows> a;
        typename Traits::template fragment_b<Block> b;
    };

    reader_of<typename Traits::layout_k::plain> keys_;
    value_reader values_;
    std::conditional_t<Traits::chained, wave::chained_weights<Block, atom>,
                       wave::shared_weights<Block, Traits>>
        weights_;
};

}  // namespace FADE_NAMESPACE::kernel
