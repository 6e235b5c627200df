// sums += A W where packed weights stream through shared memory: waves have columns and a part of k of their
// own, and words become the wide operand of the matrix unit in registers.
#pragma once
#include <fade/block/sliced_k/weights.hpp>
#include <fade/block/source/strided.hpp>
#include <fade/block/weight_stream/step.hpp>
#include <fade/block/weights/source.hpp>

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
class weight_stream_product {
protected:
    using atom = typename Acc::atom;
    using source = weight_source<Format, In>;
    using stream = typename Step::stream;
    using patch = typename stream::patch;
    using packed = typename stream::packed;
    using numbers = weight_numbers<Block, Format, patch, In, halves_are_apart<Format, patch>, true>;
    using operands = sliced_weights<Block, atom, Format, In, Acc::columns, 1>;
    using four = vec<std::uint32_t, 4>;
    static constexpr int together = stream::together, patches = stream::patches,
                         joined = together / atom::lane_columns, slice = stream::slice,
                         slices = stream::slices, depth = stream::depth;
    // Pieces of A that a wave copies: of some rows, `further` apart, and of each some slices.
    static constexpr int own_rows = max_of(Step::eights / stream::copiers, 1), further = 8 * stream::copiers,
                         beside = max_of(stream::copiers / Step::eights, 1),  ///< waves for the same rows
        own_slices = ceil_div(slices, beside);
    static_assert(Stages >= 2 && Acc::rows == Step::eights);
    /// Steps are whole: k ends where a group does.
    static constexpr bool whole = slices == 1 || (Format.group != 0 && Format.group % depth == 0);
    struct lane_state {
        const std::byte* words;
        const In* a;
        bool there, row_there[own_rows];
        int begin, end;  ///< of the wave's k, in the workgroup's
        numbers of[patches];
    };

public:
    FADE_FN weight_stream_product(Block& block, const block::operand<In>& a, const source& weights,
                                  int k_count)
        : from_(weights), row_stride_(a.row_stride),
          share_(ceil_div(ceil_div(k_count, depth), Step::parts) * depth) {
        wave::zero(block, of_group_);
        block.each_lane([&](lane_coord p) {
            lane_state& lane = lanes_[p];
            lane.begin = part(p.wave) * share_, lane.end = min_of(lane.begin + share_, k_count);
            const int column = stream::copied_column(number(p));
            lane.there = column < from_.rows;
            source own = from_;
            own.advance(lane.begin);  // k of all waves may be more than offsets hold
            lane.words = own.tile + own.offset(lane.there ? column : 0, stream::copied_k(number(p)));
            const int row = copier(p.wave) % Step::eights * 8 + p.lane / 4;
            lane.a = a.tile + (row < a.rows ? row : 0) * a.row_stride + lane.begin + stream::k(p.lane) +
                     first_slice(p.wave) * slice;
            FADE_UNROLL
            for (int i = 0; i < own_rows; ++i) lane.row_there[i] = row + i * further < a.rows;
        });
    }

    /// Over all of their k, which it waits for: addresses need only arguments.
    FADE_FN void run(Block& block, Acc& acc) {
        static_assert(Acc::columns == patches * joined && atom::lane_k == stream::lane_k);
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

protected:
    FADE_FN static int part(int wave) {
        if constexpr (Step::parts == 1)
            return 0;  // of waves that produce, too
        else
            return wave / Step::groups;
    }
    FADE_FN static int group(int wave) { return wave % Step::groups; }
    /// Its number among those that copy, of a part.
    FADE_FN static int copier(int wave) {
        if constexpr (stream::copiers == Step::groups)
            return group(wave);
        else
            return Block::emulated ? wave : wave - Block::waves;
    }
    FADE_FN static int first_slice(int wave) { return copier(wave) / Step::eights; }
    /// A lane's, of those of the waves side by side.
    FADE_FN static int number(lane_coord p) { return copier(p.wave) * Block::wave_size + p.lane; }
    FADE_FN static std::uint32_t place(int stage) {
        return std::uint32_t(Step::before + stage * Step::bytes);
    }

    /// Does a group begin at a wave's k-th k? Its first one has a scale that is read, too.
    FADE_FN bool begins_group(const lane_state& lane, int k) const {
        if (k == 0 || Format.group == 0) return k == 0;
        return (from_.k + lane.begin + k) % max_of(Format.group, 1) == 0;
    }
    /// In a step that begins at k; of a slice that is known, where groups are no longer than steps.
    FADE_FN bool begins_group(const lane_state& lane, int k, int s) const {
        if (Format.group != 0 && Format.group <= depth) return s * slice % max_of(Format.group, 1) == 0;
        return s == 0 && begins_group(lane, k);
    }
    FADE_FN static bool is_there(const lane_state& lane, int k) { return lane.begin + k < lane.end; }

    FADE_FN void copy(Block& block, int k, int stage) {
        block.each_lane([&](lane_coord p) {
            lane_state& lane = lanes_[p];
            if (!is_there(lane, k)) return;
            if constexpr (Block::emulated)
                if (copier(p.wave) >= stream::copiers) return;
            const std::uint32_t at = place(stage) + Step::words(part(p.wave));
            FADE_UNROLL
            for (int c = 0; c < stream::copies; ++c)
                if (whole || is_there(lane, k + c * stream::of_copy + stream::copied_k(number(p))))
                    copy_words(block, p, at + stream::copied(number(p), c),
                               lane.words + from_.offset(0, c * stream::of_copy), lane.there);
            lane.words += from_.offset(0, depth);
            FADE_UNROLL
            for (int j = 0; j < own_slices; ++j) {
                const int s = first_slice(p.wave) + j * beside;
                if ((slices % beside != 0 && s >= slices) || (!whole && !is_there(lane, k + s * slice)))
                    continue;
                FADE_UNROLL
                for (int i = 0; i < own_rows; ++i)
                    block.copy_async(
                        p,
                        place(stage) +
                            Step::rows(part(p.wave),
                                       s * Step::eights + copier(p.wave) % Step::eights + i * stream::copiers,
                                       p.lane),
                        static_cast<const void*>(lane.a + i * further * row_stride_ + j * beside * slice),
                        lane.row_there[i]);
            }
            lane.a += depth;
            FADE_UNROLL
            for (int s = 0; s < slices; ++s)
                if (begins_group(lane, k, s) && (whole || is_there(lane, k + s * slice)))
                    copy_scales(block, p, at, set_of(s), lane.begin + k + s * slice);
        });
        block.commit_async();
    }
    /// 16 bytes, or four words where lines begin at none of their multiples.
    FADE_FN void copy_words(Block& block, lane_coord p, std::uint32_t to, const std::byte* from,
                            bool there) const {
        if constexpr (stream::in_lines)
            if (from_.all.n % stream::of_piece != 0) {
                const auto memory =
                    block.global(from, from_.all.words, from_.all.words + bytes_of_words<Format>(from_.all));
                const int column = stream::copied_column(number(p));
                FADE_UNROLL
                for (int i = 0; i < 4; ++i)
                    block.template copy_async<4>(
                        p, to + i * 4, memory,
                        i * 4 | (column + i * Format.per_word() < from_.rows ? 0 : backend::outside));
                return;
            }
        block.copy_async(p, to, static_cast<const void*>(from), there);
    }
    FADE_FN static constexpr int set_of(int s) {
        return stream::scale_sets == 1 ? 0 : s * slice / max_of(Format.group, 1);
    }
    FADE_FN void copy_scales(Block& block, lane_coord p, std::uint32_t at, int set, int k) {
        const auto piece = [&](const auto& memory, std::uint32_t to, int column) FADE_LAMBDA {
            block.template copy_async<16>(p, to, memory,
                                          (from_.place(column, k) * std::uint32_t(Format.scale_bytes())) |
                                              (column < from_.rows ? 0 : backend::outside));
        };
        const int lane = number(p);
        if (lane < stream::scale_pieces) {
            const int column = lane * stream::of_scales;
            piece(from_.scales_in(block), at + stream::scale(set, column), column);
            if constexpr (stream::has_zeros && !Format.packs_zeros())
                piece(from_.zeros_in(block), at + stream::zero(set, column), column);
        }
        if constexpr (Format.packs_zeros())
            if (lane < stream::zero_words) {
                const int column = lane * Format.per_word();
                block.template copy_async<4>(p, at + stream::zero(set, column), from_.zeros_in(block),
                                             (from_.zero_word(column, k) * 4) |
                                                 (column < from_.rows ? 0 : backend::outside));
            }
    }

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
    FADE_FN void take_scales(Block& block, wave_coord w, std::uint32_t at, int set) {
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int column = stream::column(group(w.wave), p.lane, i);
                packed of_group;
                of_group.scale =
                    block.template load_shared<decltype(of_group.scale)>(p, at + stream::scale(set, column));
                if constexpr (stream::has_zeros)
                    of_group.zero = block.template load_shared<decltype(of_group.zero)>(
                        p, at + stream::zero(set, column));
                lanes_[p].of[i] = numbers(of_group, column, 0);
            }
        });
    }

    source from_;
    index row_stride_;
    int share_;  ///< k of a wave
    per_lane<Block, lane_state> lanes_;
    Acc of_group_;  ///< sums that are not scaled yet
};

}  // namespace FADE_NAMESPACE::block
