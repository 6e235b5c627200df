// The largest elements of a row by a bound that enough of them reach: those few are compared in shared
// memory.
#pragma once
#include <bit>
#include <fade/block/row/candidate_list.hpp>
#include <fade/block/row/largest.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory for those of a wave or of a row in a wave, behind their count.
constexpr int candidate_part_bytes = 16 + 640;
/// Waves of 64 lanes would keep what elements compare to in scalar registers, and spill 2 to 42 of them.
constexpr bool puts_aside(int wave_size) { return wave_size == 32; }
/// Shared memory for all of them, behind what rows want.
constexpr int candidate_bytes(const row_policy& p, int wave_size) {
    return !puts_aside(wave_size) ? 0 : p.waves * p.rows_of_wave * candidate_part_bytes;
}

/// Each group of lanes has an element that is its largest, so as many elements as there are groups reach the
/// least of these. What reaches it is put aside, and its place among the first is how many come before it.
/// Where too many reach it, or too few because there are fewer lanes than are wanted, others between bounds
/// that are known to be too low and too high are tried, each in the middle of what is left.
template <class Block, row_policy P, class Operand>
class candidate_search {
    using passes = row_passes<Block, P>;
    using columns_type = typename passes::columns_type;
    using element = typename Operand::element;
    using held_run = typename Operand::held;
    using candidate = candidate_word<element, P.resident>;
    using word = typename candidate::type;
    static constexpr int held = passes::held, waves = P.shared_row ? Block::waves : 1;
    static constexpr int lanes_of_wave = columns_type::lanes / waves;
    static constexpr int capacity = (candidate_part_bytes - 16) / int(sizeof(word));
    static constexpr bool pairs = held_run::packs;
    static constexpr int runs_of_mask = pairs ? 4 : 8;  // a bit each for what four words of a run have
    static constexpr int masks = P.resident ? ceil_div(P.runs, runs_of_mask) : 1;
    static constexpr bool sorts = requires(lane_coord p, const float* x) { Block::shuffle_from(p, x, 0); };
    static constexpr int block = sorts && candidate::is_short && waves <= 2 ? 8 : 4;  // of a list
    static constexpr bool gathers = sorts && P.shared_row;  // lanes of short rows have one each
    /// Are few elements ranked by more lanes? Of rows that begin anywhere registers hold too much besides.
    static constexpr bool spreads = sorts && waves > 2 && (P.whole_runs || !P.resident);
    static constexpr bool few_lanes = columns_type::lanes < 64;  // than elements that may be wanted
    static constexpr int few_groups = 8;                         // of lanes, where few are wanted
    static constexpr int too_many = 1 << 24;                     // of lanes that have a NaN
    static_assert(P.run == (pairs ? 8 : 4) && (!candidate::is_short || columns_type::step <= 65536));

public:
    FADE_FN candidate_search(const passes& row, const Operand& x) : row_(row), x_(x) {}

    /// Calls f(i, placed number) once for each of the `count` first, in one lane each. False where a NaN is
    /// among the elements, or more are equal than can be put aside: nothing is called then.
    template <class F>
    FADE_FN bool each(int count, F f) {
        std::uint32_t keys[held];
        bool nan[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            run_largest<Block, typename held_run::numbers, P.run> largest;
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { largest.add(row_.columns(), first, run); },
                x_);
            const int at = passes::slot_of(p);
            keys[at] = placed_number::of(largest.number_or_nan(), 0).key;
            nan[at] = keys[at] == placed_number::key_of_nan;
        });
        interval in{.bound = bound_of(count, keys)};
        FADE_ROLLED
        for (int phase = 0;; phase ^= 1) {
            put_aside(candidate::number_of(in.bound), nan, phase);
            const tally found = count_all(phase);
            in.done = found.fits && found.all >= count && (in.last || is_few(found, count));
            if (of_all_rows(in.done)) {
                if constexpr (spreads)
                    if (count <= 2 * waves + 8) return rank_by_lanes(count, phase, f), true;
                rank(count, found, f);
                return true;
            }
            if (!in.begun) begin(in, keys);
            if (!of_all_rows(narrow(in, found, count))) return false;
        }
    }

private:
    /// Bounds by their order: what reaches `low` is enough, or taken to be, and what reaches `high` is not.
    struct interval {
        std::uint32_t bound = 0, low = 0, high = 0;
        bool done = false, begun = false;
        bool sure = false;  ///< is it known that enough reach `low`?
        bool last = false;  ///< no other bound is left
    };
    /// How many elements each wave has put aside.
    struct tally {
        int of_wave[held][waves], all, max;
        bool fits, nan;
    };
    /// Would another bound cost more than to compare what has been put aside? A row that is read again by
    /// each pass is the dearest.
    FADE_FN static bool is_few(const tally& found, int count) {
        return !P.resident || found.all <= 2 * count ||
               found.all * ceil_div(found.max, lanes_of_wave) <= 64 + 2 * P.runs * P.run;
    }
    /// Does it hold in all rows that share the wave?
    FADE_FN static bool of_all_rows(bool holds) {
        return P.rows_of_wave == 1 ? holds : !Block::any_lane(!holds);
    }
    /// The orders of the largest element, and of one that at lowest as many reach as there are runs, or of
    /// the lowest. `keys`: of each lane's largest.
    FADE_FN void begin(interval& in, const std::uint32_t* keys) const {
        std::uint32_t largest[held];
        for (int i = 0; i < held; ++i) largest[i] = keys[i];
        in.high = order_of_key(row_.across(largest, larger_word{})) + 1;
        in.low = order_of_key(placed_number::of(below_all, 0).key), in.begun = true, in.sure = !few_lanes;
        if constexpr (few_lanes) {
            std::uint32_t lowest[held];
            const columns_type columns = row_.columns_anew();
            row_.each_lane([&](lane_coord p) FADE_LAMBDA {
                lowest[passes::slot_of(p)] = 0xffffffffu;
                row_.each_run_of_lane(
                    p,
                    [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                        run_largest<Block, typename held_run::numbers, P.run> of_run;
                        of_run.add(columns, first, run);
                        std::uint32_t& to = lowest[passes::slot_of(p)];
                        to = min_of(to, placed_number::of(of_run.number(), 0).key);
                    },
                    x_);
            });
            in.low = max_of(in.low, order_of_key(row_.across(lowest, lower_word{})));
        }
    }
    /// The next bound. False where there is none, and more elements are equal than can be put aside.
    FADE_FN static bool narrow(interval& in, const tally& found, int count) {
        if (in.done) return true;
        if (found.nan || in.last) return false;
        if (found.all < count)
            in.high = in.bound;
        else
            in.low = in.bound, in.sure = true;
        if (in.high - in.low <= 1 || in.high <= in.low) {
            if (in.sure) in.last = true;
            in.low = in.sure ? in.low : order_of_key(placed_number::of(below_all, 0).key);
            in.sure = true;
        }
        in.bound = in.last ? in.low : in.low + (in.high - in.low) / 2;
        return true;
    }
    FADE_FN static std::uint32_t order_of_key(std::uint32_t key) {
        if constexpr (std::is_same_v<element, float>)
            return key;
        else if constexpr (std::is_same_v<element, bf16>)
            return key >> 16;
        else
            return candidate::order_of(convert<element>(placed_number{key, 0}.number()));
    }
    FADE_FN std::uint32_t base_of(int wave, int part) const {
        return std::uint32_t(row_shared_bytes(P, Block::wave_size) +
                             (wave * P.rows_of_wave + part) * candidate_part_bytes);
    }
    /// What as many lanes of each wave have as are wanted of it, at least. Where lanes cannot ask others, the
    /// least that each of so many groups has: lanes whose numbers differ in the high bits make a group, so
    /// that all have some where the row is short.
    FADE_FN std::uint32_t bound_of(int count, const std::uint32_t* of_lanes) const {
        const int wanted = min_of(ceil_div(count, waves), lanes_of_wave),  // of each wave
            groups = int(std::bit_ceil(unsigned(wanted)));
        std::uint32_t keys[held];
        for (int i = 0; i < held; ++i) keys[i] = of_lanes[i];
        const auto by_groups = [groups](int mask, std::uint32_t a, std::uint32_t b)
                                   FADE_LAMBDA { return (mask >= groups) == (a < b) ? b : a; };
        row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
            if constexpr (sorts)
                if (wanted > 1 && wanted < lanes_of_wave) {
                    if constexpr (P.shared_row)
                        if (wanted <= few_groups / 2)
                            return row_.template nth_of_wave<few_groups>(w, keys + slot, wanted);
                    return row_.nth_of_wave(w, keys + slot, wanted);
                }
            row_.fold_wave_by_mask(w, keys + slot, by_groups);
        });
        const std::uint32_t key =
            row_.template of_waves<std::uint32_t>(keys, [](int all, auto of) FADE_LAMBDA {
                std::uint32_t lowest = of(0);
                FADE_UNROLL
                for (int wave = 1; wave < all; ++wave) lowest = min_of(lowest, of(wave));
                return lowest;
            });
        return order_of_key(max_of(key, placed_number::of(below_all, 0).key));
    }
    /// Bit of an element of a run that is first in its mask: of words, low halves come before high ones.
    FADE_FN static constexpr int bit_of(int e) { return pairs ? e / 2 + e % 2 * 16 : e; }
    FADE_FN static constexpr int run_of(int bit) { return pairs ? bit % 16 / 4 : bit / 4; }
    FADE_FN static constexpr int element_of(int bit) { return pairs ? bit % 4 * 2 + bit / 16 : bit % 4; }
    /// nvcc 13.0 makes 32 of every std::countr_zero.
    FADE_FN static int lowest_bit(std::uint32_t mask) { return std::popcount((mask & (0u - mask)) - 1); }
    /// Which elements of a run reach the bound.
    template <class Run>
    FADE_FN static std::uint32_t reached(const columns_type& columns, int first, const Run& run,
                                         float bound) {
        std::uint32_t mask = 0;
        if constexpr (pairs && requires { Block::template at_least<element>(0u, 0u); }) {
            const std::uint32_t half = convert<element>(bound).bits;
            FADE_UNROLL
            for (int i = 0; i < P.run / 2; ++i)
                mask |= Block::template at_least<element>(run.words[i], half << 16 | half) & (0x10001u << i);
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) mask |= run[e] >= bound ? 1u << bit_of(e) : 0u;
        }
        if (!columns.whole(first)) {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                if (!columns.holds(first + e)) mask &= ~(1u << bit_of(e));
        }
        return mask;
    }
    /// Calls f(column) for the elements of a lane that reach the bound.
    template <class F>
    FADE_FN void each_reached(lane_coord p, float bound, F f) const {
        if constexpr (P.resident) {
            FADE_UNROLL
            for (int m = 0; m < masks; ++m) {
                FADE_ROLLED
                for (std::uint32_t mask = masks_[passes::slot_of(p)][m]; mask; mask &= mask - 1) {
                    const int bit = lowest_bit(mask);
                    f(row_.columns().first(p, 0, m * runs_of_mask + run_of(bit)) + element_of(bit));
                }
            }
        } else {
            const columns_type columns = row_.columns_anew();
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                    FADE_ROLLED
                    for (std::uint32_t mask = reached(columns, first, run, bound); mask; mask &= mask - 1)
                        f(first + element_of(lowest_bit(mask)));
                },
                x_);
        }
    }
    FADE_FN int count_reached(lane_coord p, float bound) {
        const columns_type columns = row_.columns_anew();
        int count = 0;
        if constexpr (P.resident) {
            std::uint32_t(&mask)[masks] = masks_[passes::slot_of(p)];
            FADE_UNROLL
            for (std::uint32_t& some : mask) some = 0;
            row_.each_numbered_run_of_lane(
                p,
                [&](lane_coord, int i, const auto& run) FADE_LAMBDA {
                    mask[i / runs_of_mask] |= reached(columns, columns.first(p, 0, i), run, bound)
                                              << (4 * (i % runs_of_mask));
                },
                x_);
            FADE_UNROLL
            for (const std::uint32_t some : mask) count += std::popcount(some);
        } else {
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { count += std::popcount(reached(columns, first, run, bound)); },
                x_);
        }
        return count;
    }
    /// A wave tells how many it has at one of two places, by phases, since others may still read the last.
    FADE_FN void put_aside(float bound, const bool* nan, int phase) {
        int before[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            before[at] = 0, counts_[at] = nan[at] ? too_many : count_reached(p, bound);
        });
        row_.each_wave([&](wave_coord w, int slot)
                           FADE_LAMBDA { row_.count_before(w, before + slot, counts_ + slot); });
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            const int all = counts_[at];
            if (all > capacity) return;
            const std::uint32_t list = list_of(p, p.wave);
            std::uint32_t to = list + std::uint32_t(before[at] * int(sizeof(word)));
            each_reached(p, bound, [&](int column) FADE_LAMBDA {
                store(p, to, gathers ? word(column) : candidate::of(x_.one(column), column)),
                    to += sizeof(word);
            });
            if (const int behind = all + p.lane % lanes_of_wave; behind < ceil_div(all, block) * block)
                store(p, list + std::uint32_t(behind * int(sizeof(word))), 0);
        });
        if constexpr (gathers) {
            row_.meet_wave();
            row_.each_lane([&](lane_coord p) FADE_LAMBDA { gather(p); });
        }
        if constexpr (P.shared_row)
            row_.each_lane([&](lane_coord p) FADE_LAMBDA {
                if (p.lane == 0)
                    row_.block().store_shared(
                        p, list_of(p, p.wave) - 16 + std::uint32_t(phase * 4),
                        vec<std::uint32_t, 1>{std::uint32_t(counts_[passes::slot_of(p)])});
            });
        if constexpr (P.shared_row)
            row_.meet();
        else
            row_.meet_wave();
    }
    /// Elements whose columns were put aside are read all at once, each by a lane.
    FADE_FN void gather(lane_coord p) const {
        const int all = counts_[passes::slot_of(p)];
        FADE_ROLLED
        for (int i = p.lane % lanes_of_wave; all <= capacity && i < all; i += lanes_of_wave) {
            const std::uint32_t at = list_of(p, p.wave) + std::uint32_t(i * int(sizeof(word)));
            const int column = int(load(p, at));
            store(p, at, candidate::of(x_.one(column), column));
        }
    }
    FADE_FN std::uint32_t list_of(lane_coord p, int wave) const {
        return base_of(wave, columns_type::part_of(p)) + 16;
    }
    FADE_FN tally count_all(int phase) const {
        tally out;
        out.all = out.max = 0, out.fits = true, out.nan = false;
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            out.all = 0;
            FADE_UNROLL
            for (int w = 0; w < waves; ++w) {
                int& here = out.of_wave[at][w];
                here = P.shared_row ? int(row_.block().template load_shared<vec<std::uint32_t, 1>>(
                                          p, list_of(p, w) - 16 + std::uint32_t(phase * 4))[0])
                                    : counts_[at];
                out.fits = out.fits && here <= capacity, out.nan = out.nan || here >= too_many;
                out.all += min_of(here, too_many), out.max = max_of(out.max, here);
            }
        });
        return out;
    }
    /// Each wave compares what it has put aside with what all have.
    template <class F>
    FADE_FN void rank(int count, const tally& found, F f) const {
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p), own = counts_[at];
            FADE_ROLLED
            for (int i = p.lane % lanes_of_wave; i < own; i += lanes_of_wave) {
                const word mine = load(p, list_of(p, p.wave) + std::uint32_t(i * int(sizeof(word))));
                int rank = 0;
                FADE_UNROLL
                for (int w = 0; w < waves; ++w)
                    rank +=
                        count_before(p, list_of(p, P.shared_row ? w : p.wave), found.of_wave[at][w], mine);
                if (rank < count) f(rank, candidate::placed(mine));
            }
        });
    }
    /// The same for few elements: one of a wave's is compared with all lists at once, each by a lane of its
    /// own (H200: 32 and more are faster as above).
    template <class F>
    FADE_FN void rank_by_lanes(int count, int phase, F f) const {
        constexpr int at_once = lanes_of_wave / waves;
        row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
            const int own = counts_[slot];
            FADE_ROLLED
            for (int begin = 0; begin < own; begin += at_once) {
                word mine[Block::wave_held];
                int ranks[Block::wave_held];
                row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                    const int at = Block::wave_held == 1 ? 0 : p.lane, i = begin + p.lane / waves;
                    ranks[at] = 0;
                    if (i >= own) return;
                    const std::uint32_t list = list_of(p, p.lane % waves);
                    mine[at] = load(p, list_of(p, p.wave) + std::uint32_t(i * int(sizeof(word))));
                    const int all = int(row_.block().template load_shared<vec<std::uint32_t, 1>>(
                        p, list - 16 + std::uint32_t(phase * 4))[0]);
                    ranks[at] = count_before(p, list, all, mine[at]);
                });
                row_.template sum_of_neighbours<waves>(w, ranks);
                row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                    const int at = Block::wave_held == 1 ? 0 : p.lane;
                    if (p.lane % waves == 0 && begin + p.lane / waves < own && ranks[at] < count)
                        f(ranks[at], candidate::placed(mine[at]));
                });
            }
        });
    }
    FADE_FN int count_before(lane_coord p, std::uint32_t list, int count, word mine) const {
        return candidate_list<Block, candidate>::template count_before<block>(row_.block(), p, list, count,
                                                                              mine);
    }
    FADE_FN word load(lane_coord p, std::uint32_t from) const {
        return candidate_list<Block, candidate>::load(row_.block(), p, from);
    }
    FADE_FN void store(lane_coord p, std::uint32_t to, word x) const {
        candidate_list<Block, candidate>::store(row_.block(), p, to, x);
    }

    const passes& row_;
    const Operand& x_;
    int counts_[held];
    std::uint32_t masks_[P.resident ? held : 1][masks];
};

}  // namespace FADE_NAMESPACE::block
