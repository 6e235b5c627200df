// The largest elements of a row by a bound that enough of them reach: those few are compared in shared
// memory.
#pragma once
#include <bit>
#include <fade/block/row/largest.hpp>

namespace FADE_NAMESPACE::block {

/// How many elements of a row a wave, or the lanes of one row in a wave, can put aside.
constexpr int most_candidates = 64;
/// Waves of 64 lanes would keep what elements compare to in scalar registers, and spill 2 to 42 of them.
constexpr bool puts_aside(int wave_size) { return wave_size == 32; }
/// Shared memory for them and their counts, behind what rows want.
constexpr int candidate_bytes(const row_policy& p, int wave_size) {
    return !puts_aside(wave_size)
               ? 0
               : p.waves * p.rows_of_wave * ((p.shared_row ? 2 : 1) * most_candidates * 8 + 16);
}

/// Each group of lanes has an element that is its largest, so as many elements as there are groups reach the
/// least of these. What reaches it is put aside, and its place among the first is how many come before it.
template <class Block, row_policy P>
class candidate_search {
    using passes = row_passes<Block, P>;
    using columns_type = typename passes::columns_type;
    using search = largest_search<Block, P>;
    using words = vec<std::uint32_t, 2>;
    static constexpr int held = passes::held, waves = P.shared_row ? Block::waves : 1;
    static constexpr int lanes_of_wave = columns_type::lanes / waves;

public:
    FADE_FN explicit candidate_search(const passes& row) : row_(row) {}

    /// Calls f(i, placed number) once for each of the `count` first, in one lane each. False where the bound
    /// is too low, or a NaN is among the elements: nothing is called then.
    template <class F, class Operand>
    FADE_FN bool each(int count, F f, const Operand& x) const {
        const int groups = int(std::bit_ceil(unsigned(ceil_div(count, waves))));  // of each wave
        if (groups > lanes_of_wave) return false;
        largest_of_lane largest[held];
        std::uint32_t bounds[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            largest[passes::slot_of(p)] = search(row_).of_lane_numbers(p, x);
            bounds[passes::slot_of(p)] = largest[passes::slot_of(p)].key();
        });
        const float bound = bound_of(groups, bounds);
        put_aside(bound, largest, x);
        return rank(count, f);
    }

private:
    using largest_of_lane = typename search::lane_numbers;

    FADE_FN std::uint32_t base_of(int wave, int part) const {
        return std::uint32_t(row_shared_bytes(P, Block::wave_size) +
                             (wave * P.rows_of_wave + part) * (most_candidates * 8 + 16));
    }
    /// Lanes whose numbers differ in the high bits make a group: where the row is short all groups have some.
    FADE_FN float bound_of(int groups, std::uint32_t* keys) const {
        row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
            row_.fold_wave_by_mask(w, keys + slot,
                                   [groups](int mask, std::uint32_t a, std::uint32_t b)
                                       FADE_LAMBDA { return (mask >= groups) == (a < b) ? b : a; });
        });
        const std::uint32_t key =
            row_.template of_waves<std::uint32_t>(keys, [](int count, auto of) FADE_LAMBDA {
                std::uint32_t lowest = of(0);
                FADE_UNROLL
                for (int wave = 1; wave < count; ++wave) lowest = min_of(lowest, of(wave));
                return lowest;
            });
        return key == 0 ? below_all : placed_number{key, 0}.number();
    }
    template <class Operand>
    FADE_FN void put_aside(float bound, const largest_of_lane* largest, const Operand& x) const {
        int before[held], all[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            int count = 0;
            each_run_from(
                p, bound, largest[at],
                [&](int, float z, bool there) FADE_LAMBDA { count += there && z >= bound ? 1 : 0; }, x);
            if (largest[at].key() == placed_number::key_of_nan) count = most_candidates + 1;
            all[at] = count, before[at] = 0;
        });
        row_.each_wave([&](wave_coord w, int slot)
                           FADE_LAMBDA { row_.count_before(w, before + slot, all + slot); });
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p), part = columns_type::part_of(p);
            const std::uint32_t base = base_of(p.wave, part);
            if (all[at] <= most_candidates) {
                std::uint32_t to = place_of(base + 16 + std::uint32_t(before[at]) * 8);
                each_run_from(
                    p, bound, largest[at],
                    [&](int column, float z, bool there) FADE_LAMBDA {
                        const bool reaches = there && z >= bound;
                        put_if(p, reaches, to, base + 8,
                               {std::uint32_t(column), __builtin_bit_cast(std::uint32_t, z)});
                        to += reaches ? 8 : 0;
                    },
                    x);
            }
            if (P.shared_row && p.lane == 0)
                row_.block().store_shared(p, base, vec<std::uint32_t, 1>{std::uint32_t(all[at])});
        });
        if constexpr (!P.shared_row) {
            row_.each_lane([&](lane_coord p)
                               FADE_LAMBDA { counts_[passes::slot_of(p)] = all[passes::slot_of(p)]; });
            row_.meet_wave();
        } else {
            row_.meet();
        }
    }
    /// Calls f(column, element, does the row have it) for the elements of the runs of a lane that may reach
    /// the bound.
    template <class F, class Operand>
    FADE_FN void each_run_from(lane_coord p, float bound, const largest_of_lane& largest, F f,
                               const Operand& x) const {
        const auto each = [&](int first, const auto& run) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) f(first + e, run[e], row_.columns().holds_of_run(first + e));
        };
        if constexpr (P.resident && P.runs <= 8)  // of more runs no register keeps the largest number
            row_.each_numbered_run_of_lane(
                p,
                [&](lane_coord, int i, const auto& run) FADE_LAMBDA {
                    if (largest.run[i] >= bound) each(row_.columns().first(p, 0, i), run);
                },
                x);
        else if (largest.all >= bound)  // of most lanes no element does
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                    if (row_.largest_of_run(first, run).number() >= bound) each(first, run);
                },
                x);
    }
    FADE_FN std::uint32_t first_of(lane_coord p, int wave) const {
        return base_of(P.shared_row ? wave : p.wave, columns_type::part_of(p)) + 16;
    }
    /// Where all words lie one behind the other, with zeros up to a multiple of four.
    FADE_FN std::uint32_t list_of(lane_coord p) const {
        return P.shared_row ? base_of(waves, 0) : first_of(p, 0);
    }
    /// One wave compares what all have put aside. False, for all of them alike, where that was too much.
    template <class F>
    FADE_FN bool rank(int count, F f) const {
        int counts[held][waves], sums[held];
        if (!count_all(counts, sums)) return false;
        list_all(counts, sums);
        row_.meet_wave();
        place_first(count, sums, f);
        return true;
    }
    /// How many each wave has put aside, and all of them. False where one had too many.
    FADE_FN bool count_all(int (&counts)[held][waves], int (&sums)[held]) const {
        bool fits = true;
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            sums[at] = 0;
            FADE_UNROLL
            for (int w = 0; w < waves; ++w) {
                counts[at][w] = P.shared_row ? int(row_.block().template load_shared<vec<std::uint32_t, 1>>(
                                                   p, first_of(p, w) - 16)[0])
                                             : counts_[at];
                fits = fits && counts[at][w] <= most_candidates;
                sums[at] += counts[at][w];
            }
            if (!P.shared_row) fits = !Block::any_lane(!fits);
        });
        return fits;
    }
    /// Puts words one behind the other. Numbers become words in order where few lanes have them, not where
    /// they were found.
    FADE_FN void list_all(const int (&counts)[held][waves], const int (&sums)[held]) const {
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (P.shared_row && p.wave != 0) return;
            const int at = passes::slot_of(p);
            FADE_ROLLED
            for (int i = p.lane % lanes_of_wave; i < ceil_div(sums[at], 4) * 4; i += lanes_of_wave) {
                std::uint32_t from = 0;
                int left = i;
                FADE_UNROLL
                for (int w = 0; w < waves; ++w) {
                    if (left >= 0) from = first_of(p, w) + std::uint32_t(left) * 8;
                    left -= counts[at][w];
                }
                words word{};
                if (i < sums[at]) {
                    word = in_order(row_.block().template load_shared<words>(p, from));
                }
                row_.block().store_shared(p, list_of(p) + std::uint32_t(i) * 8, word);
            }
        });
    }
    /// Calls f(how many come before it, placed number) for the first words.
    template <class F>
    FADE_FN void place_first(int count, const int (&sums)[held], F f) const {
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (P.shared_row && p.wave != 0) return;
            const int at = passes::slot_of(p);
            const std::uint32_t list = list_of(p);
            FADE_ROLLED
            for (int i = p.lane % lanes_of_wave; i < sums[at]; i += lanes_of_wave) {
                const auto own = row_.block().template load_shared<words>(p, list + std::uint32_t(i) * 8);
                const std::uint64_t mine = word_of(own[0], own[1]);
                int rank = 0;
                FADE_ROLLED
                for (int j = 0; j < sums[at]; j += 4) {
                    FADE_UNROLL
                    for (int two = 0; two < 4; two += 2) {
                        const auto x = row_.block().template load_shared<vec<std::uint32_t, 4>>(
                            p, list + std::uint32_t(j + two) * 8);
                        rank += word_of(x[0], x[1]) > mine ? 1 : 0;
                        rank += word_of(x[2], x[3]) > mine ? 1 : 0;
                    }
                }
                if (rank < count) f(rank, placed_number::of_word(mine));
            }
        });
    }
    /// What is larger, or of equal numbers the first, is larger.
    FADE_FN static words in_order(const words& put_aside) {
        placed_number found = placed_number::of(__builtin_bit_cast(float, put_aside[1]), int(put_aside[0]));
        return {0x7fffffffu - std::uint32_t(found.place), found.key};
    }
    FADE_FN static std::uint64_t word_of(std::uint32_t low, std::uint32_t high) {
        return std::uint64_t(high) << 32 | low;
    }
    FADE_FN std::uint32_t place_of(std::uint32_t offset) const {
        if constexpr (requires { row_.block().place_in_shared(offset); })
            return row_.block().place_in_shared(offset);
        else
            return offset;
    }
    /// Elsewhere what is not there goes to `beside`: a branch for each element would take scalar registers.
    FADE_FN void put_if(lane_coord p, bool there, std::uint32_t place, std::uint32_t beside,
                        const words& x) const {
        if constexpr (requires { row_.block().store_pair_if(there, place, x); })
            row_.block().store_pair_if(there, place, x);
        else
            row_.block().store_shared(p, there ? place : beside, x);
    }

    const passes& row_;
    mutable int counts_[held];
};

}  // namespace FADE_NAMESPACE::block
