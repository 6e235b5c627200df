// acc += A W of some rows, of which both stream through a ring of shared memory; W as packed words.
#pragma once
#include <fade/block/sliced_k/weights.hpp>
#include <fade/block/source/strided.hpp>
#include <fade/block/weights/ring.hpp>

namespace FADE_NAMESPACE::block {

/// How many slices a step of such a ring has, and how many steps it has.
struct ring_shape {
    int slices, stages;
};

/// Where rows of A lie in a step of the ring, which all waves read. Runs of 16 bytes of odd rows change
/// places, so that two rows lie in different banks.
template <class Atom, class In, int Tiles, int Slices, int Threads>
struct ring_rows {
    static constexpr int run = 16 / int(sizeof(In)), runs = Atom::lane_k / run,
                         of_row = Slices * Atom::lane_k * Atom::k_groups / run, rows = Tiles * Atom::m,
                         copies = rows * of_row / Threads, bytes = rows * of_row * 16;
    static_assert(copies * Threads == rows * of_row && of_row % 8 == 0);
    /// What a thread's c-th copy brings.
    struct copied {
        int row, k;
    };
    FADE_FN static constexpr copied copy(int thread, int c) {
        const int n = c * Threads + thread;
        return {n / of_row, n % of_row * run};
    }
    FADE_FN static constexpr std::uint32_t at(int row, int number) {
        return std::uint32_t((row * of_row + (number ^ row % 2 * 4)) * 16);
    }
    FADE_FN static constexpr std::uint32_t place(int thread, int c) {
        const copied from = copy(thread, c);
        return at(from.row, from.k / run);
    }
    FADE_FN static constexpr std::uint32_t read(int lane, int slice, int tile, int r, int i) {
        return at(tile * Atom::m + Atom::a_row(lane, r),
                  (slice * Atom::k_groups + Atom::k_group(lane)) * runs + i);
    }
};

/// Of A's rows along k and weights that copies of 16, 8 and 4 bytes bring: waves have columns of their own,
/// and all k. All but one step of both are in flight. What a lane reads of weights it copied itself; A they
/// read together.
template <class Block, class Acc, weight_format Format, class In, ring_shape Ring>
class weight_ring_product {
    using atom = typename Acc::atom;
    using source = weight_source<Format, In>;
    static constexpr int slices = Ring.slices;
    using of_step = sliced_weight_step<atom, Format, Acc::columns, slices>;
    static constexpr int patches = of_step::patches, slice = of_step::step, parts = slice / atom::k,
                         together = of_step::together;
    using patch = typename of_step::patch;
    using ring = typename of_step::template ring<Block::threads>;
    using ring_a = ring_rows<atom, In, Acc::rows, slices, Block::threads>;
    using operands = sliced_weights<Block, atom, Format, In, Acc::columns, slices>;
    using packed = weight_words<Format, patch>;
    using words = vec<std::uint32_t, 4>;
    static constexpr int step_bytes = ring::bytes + ring_a::bytes;
    /// Does a step exist as a whole, or not at all?
    static constexpr bool whole = Format.group > 0 && Format.group % (slices * slice) == 0;
    static_assert(is_copied<Format, patch> && Ring.stages >= 2);
    struct lane_state {
        const In* a[ring_a::copies];
        const std::byte* words[patches];
        int column[patches], k;
        bool there[patches], row_there[ring_a::copies];
        packed scales[of_step::one_scale ? 1 : slices][patches];
    };

public:
    static constexpr int depth = slices * slice;  ///< k of a step

    FADE_FN weight_ring_product(Block& block, const operand<In>& a, const source& weights) : from_(weights) {
        block.each_lane([&](lane_coord p) {
            lane_state& lane = lanes_[p];
            lane.k = atom::k_group(p.lane) * atom::lane_k;
            FADE_UNROLL
            for (int c = 0; c < ring_a::copies; ++c) {
                const auto of = ring_a::copy(thread(p), c);
                lane.row_there[c] = a.rows > of.row;
                lane.a[c] = a.tile + (lane.row_there[c] ? of.row * a.row_stride + of.k : 0);
            }
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int first = i * together;
                lane.column[i] =
                    p.wave * Acc::columns * atom::n +
                    sliced_columns<atom, sliced_patch<Format, atom>::joined>::in_tile(
                        first / atom::lane_columns, atom::b_column(p.lane, first % atom::lane_columns));
                lane.there[i] = lane.column[i] < from_.rows;
                lane.words[i] = from_.tile + (lane.there[i] ? from_.offset(lane.column[i], lane.k) : 0);
            }
        });
    }

    /// Over the next k_count k of both, which it waits for: addresses need only arguments.
    FADE_FN void run(Block& block, Acc& acc, int k_count) {
        block.await_inputs();
        FADE_UNROLL
        for (int s = 0; s < Ring.stages - 1; ++s) copy(block, s * depth, k_count, s);
        int stage = 0, behind = Ring.stages - 1;
        for (int k = 0; k < k_count; k += depth) {
            block.template wait_async<Ring.stages - 2>();
            block.sync();
            // It takes the place of the step before, whose words are numbers by now.
            copy(block, k + (Ring.stages - 1) * depth, k_count, behind);
            block.each_wave([&](wave_coord w) { multiply(block, w, acc, k, k_count, stage); });
            behind = stage;
            stage = stage + 1 == Ring.stages ? 0 : stage + 1;
        }
        block.template wait_async<0>();
        block.sync();  // nobody reads what lies where sums will
    }

private:
    FADE_FN static constexpr bool exists(int k, int s, int k_count) {
        return whole || k + s * slice < k_count;
    }
    FADE_FN static int thread(lane_coord p) { return p.wave * Block::wave_size + p.lane; }
    FADE_FN static std::uint32_t place(int stage) { return std::uint32_t(stage * step_bytes); }

    FADE_FN void copy(Block& block, int k, int k_count, int stage) {
        if (k < k_count)
            block.each_lane([&](lane_coord p) {
                copy_words(block, p, place(stage), k, k_count);
                copy_scales(block, p, place(stage), k, k_count);
                copy_rows(block, p, place(stage) + ring::bytes, k, k_count);
            });
        block.commit_async();
    }
    FADE_FN void copy_words(Block& block, lane_coord p, std::uint32_t base, int k, int k_count) {
        lane_state& lane = lanes_[p];
        FADE_UNROLL
        for (int i = 0; i < patches; ++i) {
            const std::byte* from = lane.words[i];
            FADE_UNROLL
            for (int s = 0; s < slices; ++s, from += from_.offset(0, slice)) FADE_UNROLL
            for (int j = 0; j < patch::loads; ++j)
                block.copy_async(
                    p, base + ring::word(thread(p), s, i, j),
                    static_cast<const void*>(from + from_.offset(0, j * (atom::lane_k / patch::loads))),
                    lane.there[i] && exists(k, s, k_count));
            lane.words[i] += from_.offset(0, depth);
        }
    }
    FADE_FN void copy_scales(Block& block, lane_coord p, std::uint32_t base, int k, int k_count) {
        const lane_state& lane = lanes_[p];
        FADE_UNROLL
        for (int s = 0; s < (of_step::one_scale ? 1 : slices); ++s) FADE_UNROLL
        for (int i = 0; i < patches; ++i) {
            const std::uint32_t beyond = lane.there[i] && exists(k, s, k_count) ? 0 : backend::outside;
            const int at_k = lane.k + k + s * slice;
            const std::uint32_t at = from_.place(lane.column[i], at_k);
            block.template copy_async<ring::scale_bytes>(p, base + ring::scale(thread(p), s, i),
                                                         from_.scales_in(block),
                                                         (at * Format.scale_bytes()) | beyond);
            if constexpr (Format.zero != weight_zero::none)
                block.template copy_async<ring::zero_bytes>(
                    p, base + ring::zero(thread(p), s, i), from_.zeros_in(block),
                    (Format.packs_zeros() ? from_.zero_word(lane.column[i], at_k) * 4
                                          : at * Format.scale_bytes()) |
                        beyond);
        }
    }
    FADE_FN void copy_rows(Block& block, lane_coord p, std::uint32_t base, int k, int k_count) {
        lane_state& lane = lanes_[p];
        FADE_UNROLL
        for (int c = 0; c < ring_a::copies; ++c) {
            const int s = ring_a::copy(thread(p), c).k / slice;
            block.copy_async(p, base + ring_a::place(thread(p), c), static_cast<const void*>(lane.a[c]),
                             lane.row_there[c] && exists(k, s, k_count));
            lane.a[c] += depth;
        }
    }

    FADE_FN void multiply(Block& block, wave_coord w, Acc& acc, int k, int k_count, int stage) {
        const std::uint32_t base = place(stage);
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int s = 0; s < (of_step::one_scale ? 1 : slices); ++s) FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                packed& to = lanes_[p].scales[s][i];
                to.scale =
                    block.template load_shared<decltype(to.scale)>(p, base + ring::scale(thread(p), s, i));
                if constexpr (Format.zero != weight_zero::none)
                    to.zero =
                        block.template load_shared<decltype(to.zero)>(p, base + ring::zero(thread(p), s, i));
            }
        });
        FADE_UNROLL
        for (int s = 0; s < slices; ++s) {
            if (!exists(k, s, k_count)) return;
            auto a = rows_of(block, w, base + ring::bytes, s);
            auto b = numbers_of(block, w, base, k, s);
            wave::mma_all<parts>(block, w, acc, a, b);
        }
    }
    FADE_FN auto rows_of(Block& block, wave_coord w, std::uint32_t base, int s) {
        wave::operand_fragment<Block, In, atom::lane_rows * atom::lane_k, Acc::rows> out;
        block.each_lane_of(w, [&](lane_coord p) {
            FADE_UNROLL
            for (int t = 0; t < Acc::rows; ++t) FADE_UNROLL
            for (int r = 0; r < atom::lane_rows; ++r) FADE_UNROLL
            for (int i = 0; i < ring_a::runs; ++i)
                wave::put_elements(
                    out.at(p.lane, t), (r * ring_a::runs + i) * 4,
                    block.template load_shared<words>(p, base + ring_a::read(p.lane, s, t, r, i)));
        });
        operands::arrange(block, w, out);
        return out;
    }
    FADE_FN auto numbers_of(Block& block, wave_coord w, std::uint32_t base, int k, int s) {
        wave::operand_fragment<Block, In, atom::lane_columns * atom::lane_k, Acc::columns> out;
        block.each_lane_of(w, [&](lane_coord p) {
            const lane_state& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                packed from = lane.scales[of_step::one_scale ? 0 : s][i];
                FADE_UNROLL
                for (int j = 0; j < patch::loads; ++j)
                    from.value[j] = block.template load_shared<std::remove_cvref_t<decltype(from.value[j])>>(
                        p, base + ring::word(thread(p), s, i, j));
                operands::put(out, p.lane, i, from, lane.column[i], lane.k + k + s * slice);
            }
        });
        return out;
    }

    const source from_;
    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block
