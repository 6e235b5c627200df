// sums += A W where weights are the matrix unit's rows, in registers, and rows of A its columns, in shared
// memory: one instruction multiplies what four waves hold.
#pragma once
#include <fade/block/roles.hpp>
#include <fade/block/warpgroup_chain.hpp>
#include <fade/block/weight_stream/product.hpp>

namespace FADE_NAMESPACE::block {

/// Rows of A for a step as the matrix unit reads them: spans of 64 k, each a row's 128 bytes.
template <class T, int Rows, int Depth>
struct weight_unit_rows {
    static constexpr int span = 64, span_bytes = Rows * 128, bytes = Depth / span * span_bytes;
    static_assert(sizeof(T) == 2 && Rows % 8 == 0 && Depth % span == 0);
    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return std::uint32_t(k / span * span_bytes + row * 128) +
               std::uint32_t((k % span * 2) ^ row % 8 * 16);
    }
};

/// Rows x Columns atoms of which those one below the other are one instruction's.
template <class Block, class Atom, int Rows, int Columns>
struct unit_accumulator {
    using atom = Atom;
    using registers = vec<typename Atom::accumulator, Atom::d_size>;
    static constexpr int rows = Rows, columns = Columns;
    struct lane_tiles {
        registers tile[Columns][Rows];
    };
    per_lane<Block, lane_tiles> lanes;
    FADE_FN constexpr registers& at(lane_coord p, int row, int column) { return lanes[p].tile[column][row]; }
    FADE_FN constexpr registers& at(wave_coord w, int lane, int row, int column) {
        if constexpr (Block::held == 1)
            return lanes.held[0].tile[column][row];
        else
            return lanes.held[w.slot + lane].tile[column][row];
    }
};

/// All steps but one are in flight. Rows of A come as they lie; a step before they are multiplied, lanes put
/// them where the unit reads them, in the order in which elements of a word are numbers. Waves meet once in a
/// step. Shared memory begins with two such tiles, and the ring is behind them.
template <class Block, class Acc, weight_format Format, class In, class Step, int Stages>
class weight_unit_product : weight_stream_product<Block, Acc, Format, In, Step, Stages> {
    using rows_tile = weight_unit_rows<In, Step::eights * 8, Step::depth>;
    using base = weight_stream_product<Block, Acc, Format, In, Step, Stages>;
    using base::begins_group, base::copy, base::depth, base::group, base::is_there, base::lanes_,
        base::of_group_, base::place, base::set_of, base::share_, base::slice, base::slices,
        base::take_scales, base::together, base::whole;
    using typename base::atom;
    using typename base::lane_state;
    using typename base::packed;
    using typename base::patch;
    using typename base::stream;
    using four = vec<std::uint32_t, 4>;
    /// An instruction has 16 k: a lane's 8 of a word are two of them.
    static constexpr int of_slice = slice / atom::k, tiles = Acc::columns;
    static_assert(Step::parts == 1 && Step::before == 2 * rows_tile::bytes && stream::patches == 1 &&
                  tiles * atom::lane_columns == together && Stages >= 3);
    struct operands {
        four of[2][of_slice][tiles];
        packed words;
    };

public:
    using base::base;

    /// Over all of their k, which it waits for: addresses need only arguments.
    FADE_FN void run(Block& block, Acc& acc) {
        block.await_inputs();
        if constexpr (!Block::emulated && registers.consumer > 0)
            block.template take_registers<registers.consumer>();
        if constexpr (Block::emulated) begin(block);
        pass<Stages - 1>(block, 0, -2);
        arrange(block, 0, 0, 0);
        pass<Stages - 2>(block, 0, -1);
        int stage = 0, tile = 0, step = 0;
        for (int k = 0; k < share_; k += depth, ++step) {
            const int next = stage + 1 == Stages ? 0 : stage + 1;
            multiply(block, acc, k, stage, tile, [&] {
                if (k + depth < share_) arrange(block, k + depth, next, tile ^ 1);
            });
            pass<Stages - 3>(block, k + Stages * depth, stage);
            stage = next, tile ^= 1;
        }
        if constexpr (Block::emulated) block.template wait_async<0>();
        block.sync();  // nobody reads what lies where sums will
    }

    /// What waves that produce do, beside run().
    FADE_FN void bring(Block& block) {
        block.await_inputs();
        if constexpr (registers.producer > 0) block.template leave_registers<registers.producer>();
        begin(block);
        arrive<Stages - 1>(block), arrive<Stages - 2>(block);
        int stage = 0;
        for (int k = 0; k < share_; k += depth) {
            arrive<Stages - 3>(block);
            copy(block, k + Stages * depth, stage);
            stage = stage + 1 == Stages ? 0 : stage + 1;
        }
        block.template wait_async<0>();
    }

private:
    /// Addresses of words take more registers than a copy unit's boxes.
    static constexpr role_registers registers =
        Step::groups == 8 ? role_registers{56, 224} : registers_for(Step::groups / 4);
    static_assert(Stages >= 3 && Step::groups % 4 == 0);
    /// Fills the ring.
    FADE_FN void begin(Block& block) {
        FADE_ROLLED
        for (int s = 0; s < Stages; ++s) copy(block, s * depth, s);
    }
    template <int Pending>
    FADE_FN static void arrive(Block& block) {
        block.template wait_async<Pending>();
        block.meet_roles();
    }
    /// All waves meet: the words of the next step have come, and the rows of A of the one behind it; then
    /// that of k takes the place of a stage, if there is one.
    template <int Pending>
    FADE_FN void pass(Block& block, int k, int stage) {
        if constexpr (Block::emulated) {
            arrive<Pending>(block);
            if (stage >= 0) copy(block, k, stage);
        } else
            block.publish(), block.meet_roles();
    }
    // Rows of A of a step that a wave takes.
    static constexpr int own_rows = max_of(Step::eights / Step::groups, 1),
                         beside = max_of(Step::groups / Step::eights, 1),
                         own_slices = ceil_div(slices, beside);
    /// To one of the two tiles.
    FADE_FN void arrange(Block& block, int k, int stage, int tile) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int j = 0; j < own_slices; ++j) {
                const int s = group(p.wave) / Step::eights + j * beside;
                if ((slices % beside != 0 && s >= slices) || (!whole && !is_there(lanes_[p], k + s * slice)))
                    continue;
                FADE_UNROLL
                for (int i = 0; i < own_rows; ++i) {
                    const int eight = group(p.wave) % Step::eights + i * Step::groups;
                    four x = block.template load_shared<four>(
                        p, place(stage) + Step::rows(0, s * Step::eights + eight, p.lane));
                    if constexpr (halves_are_apart<Format, patch>)
                        x = {Block::template pick_bytes<0x5410>(x[0], x[2]),
                             Block::template pick_bytes<0x7632>(x[0], x[2]),
                             Block::template pick_bytes<0x5410>(x[1], x[3]),
                             Block::template pick_bytes<0x7632>(x[1], x[3])};
                    FADE_UNROLL
                    for (int e = 0; e < 4; ++e)
                        block.store_shared(
                            p,
                            std::uint32_t(tile * rows_tile::bytes) +
                                rows_tile::offset(eight * 8 + p.lane / 4, s * slice + e * 8 + p.lane % 4 * 2),
                            vec<std::uint32_t, 1>{x[e]});
                }
            }
        });
    }

    template <class F>
    FADE_FN void multiply(Block& block, Acc& acc, int k, int stage, int tile, F between) {
        const lane_state& any = lanes_.held[0];
        load_words(block, stage, 0);
        FADE_UNROLL
        for (int s = 0; s < slices; ++s) {
            if (!whole && s > 0 && !is_there(any, k + s * slice)) break;
            const bool begins = begins_group(any, k, s);
            if (begins)
                block.each_wave([&](wave_coord w) { take_scales(block, w, place(stage), set_of(s)); });
            if (s >= 2) block.template wait_matrix<1>();  // so that these registers are read
            make_numbers(block, k, stage, s);
            start(block, s, tile, !begins);
            if (s == 0) between();
            const bool last = s + 1 == slices || (!whole && !is_there(any, k + (s + 1) * slice)),
                       ends = last ? !is_there(any, k + (s + 1) * slice) || begins_group(any, k + depth, 0)
                                   : begins_group(any, k, s + 1);
            if (last || ends) finish_products<0>(block);
            if (ends) add_group(block, acc);
        }
    }
    FADE_FN void load_words(Block& block, int stage, int s) {
        block.each_lane([&](lane_coord p) {
            packed& words = operands_[p].words;
            FADE_UNROLL
            for (int j = 0; j < patch::loads; ++j)
                words.value[j] = block.template load_shared<std::remove_cvref_t<decltype(words.value[j])>>(
                    p, place(stage) + stream::word(stream::column(group(p.wave), p.lane, 0), p.lane, s, j));
        });
    }
    FADE_FN void make_numbers(Block& block, int k, int stage, int s) {
        per_lane<Block, packed> now;
        block.each_lane([&](lane_coord p) { now[p] = operands_[p].words; });
        if (s + 1 < slices && (whole || is_there(lanes_.held[0], k + (s + 1) * slice)))
            load_words(block, stage, s + 1);
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < of_slice; ++i) FADE_UNROLL
            for (int t = 0; t < tiles; ++t) FADE_UNROLL
            for (int r = 0; r < 4; ++r)
                operands_[p].of[s % 2][i][t][r] =
                    lanes_[p].of[0].word(now[p], t * atom::lane_columns + r % 2, 2 * (i * 2 + r / 2));
        });
    }
    /// Starts the products of a slice; `added` to those of the group before.
    FADE_FN void start(Block& block, int s, int tile, bool added) {
        const auto rows = std::uint32_t(tile * rows_tile::bytes);
        if constexpr (Block::emulated) {
            block.each_wave([&](wave_coord w) {
                block.start_later([=, this, &block] { emulated(block, w, rows, s, added); });
            });
            block.commit_matrix();
        } else
            block.each_wave([&](wave_coord w) {
                const std::uint64_t from = atom::descriptor(block.shared_address(rows), 16);
                block.begin_matrix();
                FADE_UNROLL
                for (int i = 0; i < of_slice; ++i) {
                    const std::uint64_t at =
                        block::further<atom>(from, int(rows_tile::offset(0, s * slice + i * atom::k)));
                    FADE_UNROLL
                    for (int t = 0; t < tiles; ++t)
                        atom::template start_along_k<Acc::rows>(
                            &of_group_.at(w, 0, 0, t), operands_.held[0].of[s % 2][i][t], at, added || i > 0);
                }
                block.commit_matrix();
            });
    }
    void emulated(Block& block, wave_coord w, std::uint32_t rows, int s, bool added) {
        using eight = vec<In, 8>;
        for (int i = 0; i < of_slice; ++i)
            for (int row = 0; row < Acc::rows * 8; ++row) {
                float x[atom::k];
                for (int c = 0; c < atom::k; c += 8) {
                    const auto part = block.template load_matrix<eight>(
                        w, rows + rows_tile::offset(row, s * slice + i * atom::k + c));
                    for (int e = 0; e < 8; ++e) x[c + e] = to_f32(part[e]);
                }
                for (int t = 0; t < tiles; ++t)
                    for (int column = 0; column < atom::n; ++column) {
                        float sum = 0;
                        for (int k = 0; k < atom::k; ++k) {
                            const int lane = column % 8 * 4 + k % 8 / 2;
                            const auto held =
                                __builtin_bit_cast(eight, operands_.held[w.slot + lane].of[s % 2][i][t]);
                            sum += x[k] * to_f32(held[(k / 8 * 2 + column / 8) * 2 + k % 2]);
                        }
                        float& to = of_group_.at(w, column % 8 * 4 + row % 8 / 2, row / 8,
                                                 t)[row % 2 * 2 + column / 8];
                        to = added || i > 0 ? to + sum : sum;
                    }
            }
    }
    template <int Pending>
    FADE_FN void finish_products(Block& block) {
        block.template wait_matrix<Pending>();
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int t = 0; t < tiles; ++t) FADE_UNROLL
            for (int g = 0; g < atom::d_size; ++g) block.fence_registers(of_group_.at(p, i, t)[g]);
        });
    }
    FADE_FN void add_group(Block& block, Acc& acc) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int t = 0; t < tiles; ++t) FADE_UNROLL
            for (int g = 0; g < atom::d_size; ++g)
                acc.at(p, i, t)[g] +=
                    of_group_.at(p, i, t)[g] * lanes_[p].of[0].scale(t * atom::lane_columns + g % 2);
        });
    }

    per_lane<Block, operands> operands_;
};

}  // namespace FADE_NAMESPACE::block
