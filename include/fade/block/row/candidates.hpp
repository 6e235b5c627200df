// The largest elements of a row by a bound that enough of them reach: those few are compared in shared
// memory.
#pragma once
#include <bit>
#include <fade/block/row/largest.hpp>

namespace FADE_NAMESPACE::block {

/// Elements that a wave, or the lanes of one row in a wave, put aside, in the order of their words: what is
/// larger, or of equal numbers the first, is larger. 16-bit elements of rows that registers hold have a word
/// of 32 bits.
template <class T, bool Resident>
struct candidate_word {
    static constexpr bool is_short = sizeof(T) == 2 && Resident;
    using type = std::conditional_t<is_short, std::uint32_t, std::uint64_t>;
    static constexpr int words = is_short ? 1 : 2;

    FADE_FN static type of(T x, int column) {
        if constexpr (is_short) {
            const std::uint32_t bits = x.bits, key = bits & 0x8000u ? ~bits & 0xffffu : bits | 0x8000u;
            return ((bits & 0x7fffu) == 0 ? 0x8000u : key) << 16 | (0xffffu - std::uint32_t(column));
        } else {
            return placed_number::of(convert<float>(x), column).word();
        }
    }
    FADE_FN static placed_number placed(type word) {
        if constexpr (is_short) {
            const std::uint32_t key = word >> 16, bits = key & 0x8000u ? key & 0x7fffu : ~key & 0xffffu;
            const float x = convert<float>(T{std::uint16_t(bits)});
            return placed_number::of(x, int(0xffffu - (word & 0xffffu)));
        } else {
            return placed_number::of_word(word);
        }
    }
};

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
template <class Block, row_policy P, class Operand>
class candidate_search {
    using passes = row_passes<Block, P>;
    using columns_type = typename passes::columns_type;
    using element = typename Operand::element;
    using held_run = typename Operand::held;
    using candidate = candidate_word<element, P.resident>;
    using word = typename candidate::type;
    using words = vec<std::uint32_t, candidate::words>;
    static constexpr int held = passes::held, waves = P.shared_row ? Block::waves : 1;
    static constexpr int lanes_of_wave = columns_type::lanes / waves;
    static constexpr int capacity = (candidate_part_bytes - 16) / int(sizeof(word));
    static constexpr bool pairs = held_run::packs;
    static constexpr int runs_of_mask = pairs ? 4 : 8;  // a bit each for what four words of a run have
    static constexpr int masks = P.resident ? ceil_div(P.runs, runs_of_mask) : 1;
    static_assert(P.run == (pairs ? 8 : 4) && (!candidate::is_short || columns_type::step <= 65536));

public:
    FADE_FN candidate_search(const passes& row, const Operand& x) : row_(row), x_(x) {}

    /// Calls f(i, placed number) once for each of the `count` first, in one lane each. False where the bound
    /// is too low, or a NaN is among the elements: nothing is called then.
    template <class F>
    FADE_FN bool each(int count, F f) {
        const int groups = int(std::bit_ceil(unsigned(ceil_div(count, waves))));  // of each wave
        if (groups > lanes_of_wave) return false;
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
        put_aside(bound_of(groups, keys), nan);
        return rank(count, f);
    }

private:
    FADE_FN std::uint32_t base_of(int wave, int part) const {
        return std::uint32_t(row_shared_bytes(P, Block::wave_size) +
                             (wave * P.rows_of_wave + part) * candidate_part_bytes);
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
    /// Bit of an element of a run that is first in its mask: of words, low halves come before high ones.
    FADE_FN static constexpr int bit_of(int e) { return pairs ? e / 2 + e % 2 * 16 : e; }
    FADE_FN static constexpr int run_of(int bit) { return pairs ? bit % 16 / 4 : bit / 4; }
    FADE_FN static constexpr int element_of(int bit) { return pairs ? bit % 4 * 2 + bit / 16 : bit % 4; }
    /// nvcc 13.0 makes 32 of every std::countr_zero.
    FADE_FN static int lowest_bit(std::uint32_t mask) { return std::popcount((mask & (0u - mask)) - 1); }
    /// Which elements of a run reach the bound.
    template <class Run>
    FADE_FN std::uint32_t reached(int first, const Run& run, float bound) const {
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
        if (!row_.columns().whole(first)) {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                if (!row_.columns().holds(first + e)) mask &= ~(1u << bit_of(e));
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
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                    FADE_ROLLED
                    for (std::uint32_t mask = reached(first, run, bound); mask; mask &= mask - 1)
                        f(first + element_of(lowest_bit(mask)));
                },
                x_);
        }
    }
    FADE_FN int count_reached(lane_coord p, float bound) {
        int count = 0;
        if constexpr (P.resident) {
            std::uint32_t(&mask)[masks] = masks_[passes::slot_of(p)];
            FADE_UNROLL
            for (std::uint32_t& some : mask) some = 0;
            row_.each_numbered_run_of_lane(
                p,
                [&](lane_coord, int i, const auto& run) FADE_LAMBDA {
                    mask[i / runs_of_mask] |= reached(row_.columns().first(p, 0, i), run, bound)
                                              << (4 * (i % runs_of_mask));
                },
                x_);
            FADE_UNROLL
            for (const std::uint32_t some : mask) count += std::popcount(some);
        } else {
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { count += std::popcount(reached(first, run, bound)); },
                x_);
        }
        return count;
    }
    FADE_FN void put_aside(float bound, const bool* nan) {
        int before[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            before[at] = 0, counts_[at] = nan[at] ? capacity + 1 : count_reached(p, bound);
        });
        row_.each_wave([&](wave_coord w, int slot)
                           FADE_LAMBDA { row_.count_before(w, before + slot, counts_ + slot); });
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p), all = counts_[at];
            const std::uint32_t list = list_of(p, p.wave);
            if (all <= capacity) {
                std::uint32_t to = list + std::uint32_t(before[at] * int(sizeof(word)));
                each_reached(p, bound, [&](int column) FADE_LAMBDA {
                    store(p, to, candidate::of(x_.one(column), column)), to += sizeof(word);
                });
                if (const int behind = all + p.lane % lanes_of_wave; behind < ceil_div(all, 4) * 4)
                    store(p, list + std::uint32_t(behind * int(sizeof(word))), 0);
            }
            if (P.shared_row && p.lane == 0)
                row_.block().store_shared(p, list - 16, vec<std::uint32_t, 1>{std::uint32_t(all)});
        });
        if constexpr (P.shared_row)
            row_.meet();
        else
            row_.meet_wave();
    }
    FADE_FN std::uint32_t list_of(lane_coord p, int wave) const {
        return base_of(wave, columns_type::part_of(p)) + 16;
    }
    /// Each wave compares what it has put aside with what all have. False, for all of them alike, where that
    /// was too much.
    template <class F>
    FADE_FN bool rank(int count, F f) const {
        bool fits = true;
        int counts[held][waves];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            FADE_UNROLL
            for (int w = 0; w < waves; ++w) {
                counts[at][w] = P.shared_row ? int(row_.block().template load_shared<vec<std::uint32_t, 1>>(
                                                   p, list_of(p, w) - 16)[0])
                                             : counts_[at];
                fits = fits && counts[at][w] <= capacity;
            }
            if (!P.shared_row) fits = !Block::any_lane(!fits);
        });
        if (!fits) return false;
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p), own = counts_[at];
            FADE_ROLLED
            for (int i = p.lane % lanes_of_wave; i < own; i += lanes_of_wave) {
                const word mine = load(p, list_of(p, p.wave) + std::uint32_t(i * int(sizeof(word))));
                int rank = 0;
                FADE_UNROLL
                for (int w = 0; w < waves; ++w)
                    rank += count_before(p, list_of(p, P.shared_row ? w : p.wave), counts[at][w], mine);
                if (rank < count) f(rank, candidate::placed(mine));
            }
        });
        return true;
    }
    /// How many of a list come before a word; zeros stand behind it up to a multiple of four.
    FADE_FN int count_before(lane_coord p, std::uint32_t list, int count, word mine) const {
        using four = vec<std::uint32_t, 4>;
        constexpr int at_once = 16 / int(sizeof(word));
        int before = 0;
        FADE_ROLLED
        for (int j = 0; j < count; j += 4) {
            FADE_UNROLL
            for (int i = 0; i < 4; i += at_once) {
                const auto x = row_.block().template load_shared<four>(
                    p, list + std::uint32_t((j + i) * int(sizeof(word))));
                FADE_UNROLL
                for (int e = 0; e < at_once; ++e) {
                    if constexpr (candidate::is_short)
                        before += x[e] > mine ? 1 : 0;
                    else
                        before += word_of(x[2 * e], x[2 * e + 1]) > mine ? 1 : 0;
                }
            }
        }
        return before;
    }
    FADE_FN word load(lane_coord p, std::uint32_t from) const {
        const auto x = row_.block().template load_shared<words>(p, from);
        if constexpr (candidate::is_short)
            return x[0];
        else
            return word_of(x[0], x[1]);
    }
    FADE_FN void store(lane_coord p, std::uint32_t to, word x) const {
        words out;
        out[0] = std::uint32_t(x);
        if constexpr (!candidate::is_short) out[1] = std::uint32_t(x >> 32);
        row_.block().store_shared(p, to, out);
    }
    FADE_FN static std::uint64_t word_of(std::uint32_t low, std::uint32_t high) {
        return std::uint64_t(high) << 32 | low;
    }

    const passes& row_;
    const Operand& x_;
    int counts_[held];
    std::uint32_t masks_[P.resident ? held : 1][masks];
};

}  // namespace FADE_NAMESPACE::block
