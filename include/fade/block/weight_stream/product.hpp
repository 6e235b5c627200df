// sums += A W where packed weights stream through shared memory: waves have columns and a part of k of their
// own, and words become the wide operand of the matrix unit in registers.
#pragma once
#include <fade/block/sliced_k/weights.hpp>
#include <fade/block/weight_stream/copies.hpp>

namespace FADE_NAMESPACE::block {

/// Some columns of the accumulators of a wave.
template <class Acc, int Columns>
struct accumulator_columns {
    using atom = typename Acc::atom;
    using element = typename Acc::element;
    using registers = typename Acc::registers;
    using lane_tiles = typename Acc::lane_tiles;
    static constexpr int rows = Acc::rows, columns = Columns;
    Acc& all;
    int first;
    FADE_FN constexpr registers& at(wave_coord w, int lane, int row, int column) const {
        return all.at(w, lane, row, first + column);
    }
};

/// All steps but one are in flight. Waves that have columns of their own, and no others beside them, meet
/// nobody: what a lane reads, its wave has copied. Others meet once in a step.
template <class Block, class Acc, weight_format Format, class In, class Step, int Stages>
class weight_stream_product : weight_stream_copies<Block, Format, In, Step> {
    using base = weight_stream_copies<Block, Format, In, Step>;
    using atom = typename Acc::atom;
    using base::begins_group, base::copy, base::depth, base::group, base::is_there, base::lanes_, base::part,
        base::patches, base::place, base::set_of, base::share_, base::slice, base::slices, base::take_scales,
        base::together, base::whole;
    using typename base::lane_state;
    using typename base::packed;
    using typename base::patch;
    using typename base::source;
    using typename base::stream;
    using operands = sliced_weights<Block, atom, Format, In, Acc::columns, 1>;
    using four = vec<std::uint32_t, 4>;
    static constexpr int joined = together / atom::lane_columns;
    static_assert(Acc::columns == patches * joined && atom::lane_k == stream::lane_k && Stages >= 2 &&
                  Acc::rows == Step::eights);

public:
    FADE_FN weight_stream_product(Block& block, const block::operand<In>& a, const source& weights,
                                  int k_count)
        : base(block, a, weights, k_count) {
        wave::zero(block, of_group_);
    }

    /// Over all of their k, which it waits for: addresses need only arguments.
    FADE_FN void run(Block& block, Acc& acc) {
        block.await_inputs();
        FADE_UNROLL
        for (int s = 0; s < Stages - 1; ++s) copy(block, s * depth, s);
        int stage = 0, behind = Stages - 1;
        for (int k = 0; k < share_; k += depth) {
            block.template wait_async<Stages - 2>();
            if constexpr (Step::groups == 4)
                block.meet_group();  // those of other parts share nothing with these
            else if constexpr (Step::groups > 1)
                block.meet();
            else
                block.meet_wave();
            // It takes the place of the step before, whose words are numbers by now.
            copy(block, k + (Stages - 1) * depth, behind);
            block.each_wave([&](wave_coord w) { multiply(block, w, acc, k, stage); });
            behind = stage;
            stage = stage + 1 == Stages ? 0 : stage + 1;
        }
        block.template wait_async<0>();
        block.sync();  // nobody reads what lies where sums will
    }

private:
    FADE_FN void multiply(Block& block, wave_coord w, Acc& acc, int k, int stage) {
        const lane_state& first = *lanes_.wave(w);
        FADE_UNROLL
        for (int s = 0; s < slices; ++s) {
            if ((s == 0 || !whole) && !is_there(first, k + s * slice)) return;
            if (begins_group(first, k, s))
                take_scales(block, w, place(stage) + Step::words(part(w.wave)), set_of(s));
            multiply_slice(block, w, stage, s);
            if ((s + 1 < slices && begins_group(first, k, s + 1)) ||
                ((s + 1 == slices || !whole) && (!is_there(first, k + (s + 1) * slice) ||
                                                 (s + 1 == slices && begins_group(first, k + depth, 0)))))
                add_group(block, w, acc);
        }
    }
    FADE_FN void multiply_slice(Block& block, wave_coord w, int stage, int s) {
        const std::uint32_t at = place(stage) + Step::words(part(w.wave));
        wave::operand_fragment<Block, In, atom::lane_k, Acc::rows> a;
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Acc::rows; ++t)
                wave::put_elements(
                    a.at(p.lane, t), 0,
                    block.template load_shared<four>(
                        p, place(stage) + Step::rows(part(w.wave), s * Step::eights + t, p.lane)));
        });
        operands::arrange(block, w, a);
        FADE_UNROLL
        for (int i = 0; i < patches; ++i) {
            wave::operand_fragment<Block, In, atom::lane_columns * atom::lane_k, joined> b;
            block.each_lane_of(w, [&](lane_coord p) {
                packed words;
                FADE_UNROLL
                for (int j = 0; j < patch::loads; ++j)
                    words.value[j] =
                        block.template load_shared<std::remove_cvref_t<decltype(words.value[j])>>(
                            p, at + stream::word(stream::column(group(w.wave), p.lane, i), p.lane, s, j));
                FADE_UNROLL
                for (int r = 0; r < together; ++r) FADE_UNROLL
                for (int e = 0; e < atom::lane_k; e += 2)
                    wave::put_elements(b.at(p.lane, r / atom::lane_columns),
                                       (r % atom::lane_columns * atom::lane_k + e) / 2,
                                       vec<std::uint32_t, 1>{lanes_[p].of[i].word(words, r, e)});
            });
            accumulator_columns<Acc, joined> own{of_group_, i * joined};
            wave::mma_all<atom::lane_k / (atom::k / atom::k_groups)>(block, w, own, a, b);
        }
    }
    FADE_FN void add_group(Block& block, wave_coord w, Acc& acc) {
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Acc::rows; ++t) FADE_UNROLL
            for (int c = 0; c < Acc::columns; ++c) {
                auto &of = of_group_.at(p, t, c), &to = acc.at(p, t, c);
                FADE_UNROLL
                for (int g = 0; g < atom::d_size; ++g) {
                    const int column = c * 2 + g % 2;  // as d_at has them
                    to[g] += of[g] * lanes_[p].of[column / together].scale(column % together);
                    of[g] = 0;
                }
            }
        });
    }

    Acc of_group_;  ///< sums that are not scaled yet
};

}  // namespace FADE_NAMESPACE::block
