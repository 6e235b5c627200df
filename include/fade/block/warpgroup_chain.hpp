// Two chained products by four waves at once: scores of shared tiles, and outputs of probabilities in
// registers and a shared tile.
#pragma once
#include <fade/block/span_copy.hpp>
#include <fade/block/warpgroup_emulated.hpp>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::block {

/// Probabilities of all keys of a tile as operands of the second product: what a lane's scores are, narrowed
/// as they lie.
template <class Block, class Scores>
class chained_operand {
    using atom = typename Scores::atom;
    using T = typename atom::element;
    static constexpr int in_step = atom::k / atom::m;  // atoms of scores

public:
    static constexpr int steps = Scores::rows / in_step;

    FADE_FN void take(Block& block, Scores& scores) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int s = 0; s < steps; ++s) FADE_UNROLL
            for (int i = 0; i < in_step; ++i) FADE_UNROLL
            for (int c = 0; c < atom::lane_columns; ++c) {
                const auto& from = scores.at(p, s * in_step + i, 0);
                const auto pair = Block::template narrow<T>(from[c], from[c + atom::lane_columns]);
                lanes_[p].step[s][(i * atom::lane_columns + c) *
                                  2] = pair[0],
                                  lanes_[p].step[s][(i * atom::lane_columns + c) * 2 + 1] = pair[1];
            }
        });
    }
    /// Of one lane.
    FADE_FN const vec<T, 8>& of(wave_coord w, int lane, int s) {
        if constexpr (Block::held == 1)
            return lanes_.wave(w)->step[s];
        else
            return lanes_.wave(w)[lane].step[s];
    }

private:
    struct lane_state {
        vec<T, 8> step[steps];
    };
    per_lane<Block, lane_state> lanes_;
};

/// Rows of accumulators in runs that one instruction makes: calls f(std::integral_constant of its atoms, the
/// first of them).
template <class Acc, class F>
FADE_FN void each_instruction(F f) {
    constexpr int atoms = min_of(Acc::rows, Acc::atom::widest);
    static_assert(Acc::rows % atoms == 0 && (atoms == 8 || atoms == 12 || atoms == 16),
                  "an instruction makes 64, 96 or 128 keys, or dimensions");
    FADE_UNROLL
    for (int first = 0; first < Acc::rows; first += atoms) f(std::integral_constant<int, atoms>{}, first);
}

/// The descriptor of what lies so many bytes behind another's: one addition, where a new descriptor takes
/// four instructions.
template <class Atom>
FADE_FN constexpr std::uint64_t further(std::uint64_t descriptor, int bytes) {
    constexpr std::uint64_t apart = Atom::descriptor(32, 0) - Atom::descriptor(16, 0);
    return descriptor + std::uint32_t(bytes / 16) * apart;
}

/// Starts scores = K Q^T, or scores += K Q^T (Added); both tiles are spans, that of the keys `behind` bytes
/// behind `keys`, so that what finds `keys` is computed once for all tiles of a ring. Complete after
/// wait_matrix; the registers are the matrix unit's until then.
template <class LayoutQ, class LayoutK, bool Added = false, class Block, class Scores>
FADE_FN void start_mma_qk(Block& block, Scores& scores, std::uint32_t queries, std::uint32_t keys,
                          int behind) {
    using atom = typename Scores::atom;
    constexpr int span = LayoutQ::group;
    if constexpr (Block::emulated) {
        block.each_wave([&](wave_coord w) {
            block.start_later([=, &block, &scores] {
                emulated_scores<LayoutQ, LayoutK, Added>(block, w, scores, queries,
                                                         keys + std::uint32_t(behind));
            });
        });
        block.commit_matrix();
    } else
        block.each_wave([&](wave_coord w) {
            const std::uint64_t q = atom::descriptor(
                                    block.shared_address(queries) +
                                        std::uint32_t(w.wave / atom::waves * atom::waves * atom::n * 128),
                                    16),
                                k = further<atom>(atom::descriptor(block.shared_address(keys), 16), behind);
            block.begin_matrix();
            FADE_UNROLL
            for (int d = 0; d < LayoutQ::rows; d += atom::k)
                each_instruction<Scores>([&](auto atoms, int first) {
                    const int at = d % span * int(sizeof(typename atom::element));
                    atom::template start<atoms>(
                        &scores.at(w, 0, first, 0), further<atom>(q, d / span * LayoutQ::group_bytes + at),
                        further<atom>(k, d / span * LayoutK::group_bytes + first * atom::m * 128 + at),
                        Added || d > 0);
                });
            block.commit_matrix();
        });
}

/// Starts outputs += V^T P^T for values in spans, `behind` bytes behind `values`.
template <class LayoutV, class Block, class Outputs, class Probabilities>
FADE_FN void start_mma_pv(Block& block, Outputs& outputs, Probabilities& probabilities, std::uint32_t values,
                          int behind) {
    using atom = typename Outputs::atom;
    if constexpr (Block::emulated) {
        block.each_wave([&](wave_coord w) {
            block.start_later([=, &block, &outputs, &probabilities] {
                emulated_mma_pv<LayoutV>(block, w, outputs, probabilities, values + std::uint32_t(behind));
            });
        });
        block.commit_matrix();
    } else
        block.each_wave([&](wave_coord w) {
            const std::uint64_t v =
                further<atom>(atom::descriptor(block.shared_address(values), LayoutV::group_bytes), behind);
            block.begin_matrix();
            FADE_UNROLL
            for (int s = 0; s < Probabilities::steps; ++s)
                each_instruction<Outputs>([&](auto atoms, int first) {
                    atom::template start<atoms>(
                        &outputs.at(w, 0, first, 0), probabilities.of(w, 0, s),
                        further<atom>(v, first * atom::m / LayoutV::group * LayoutV::group_bytes +
                                             s * atom::k * 128));
                });
            block.commit_matrix();
        });
}

/// Keeps what computes `acc` before, and what reads it after, all that waits for products.
template <class Block, class Acc>
FADE_FN void fence_registers(Block& block, Acc& acc) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int g = 0; g < Acc::atom::d_size; ++g) block.fence_registers(acc.at(p, i, 0)[g]);
    });
}

/// `acc` has no values until a product gives it some: no registers wait for it before.
template <class Block, class Acc>
FADE_FN void discard(Block& block, Acc& acc) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int g = 0; g < Acc::atom::d_size; ++g) block.discard(acc.at(p, i, 0)[g]);
    });
}

/// Waits until at most Pending batches of products are under way; what they wrote to `acc` may be read then.
template <int Pending, class Block, class Acc>
FADE_FN void finish_products(Block& block, Acc& acc) {
    block.template wait_matrix<Pending>();
    fence_registers(block, acc);
}

}  // namespace FADE_NAMESPACE::block
