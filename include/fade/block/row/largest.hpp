// The largest elements of a row and where they stand.
#pragma once
#include <fade/block/row/passes.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>

namespace FADE_NAMESPACE::block {

/// Lanes compare numbers alone, and those that have the largest look for its place.
template <class Block, row_policy P>
class largest_search {
    using passes = row_passes<Block, P>;
    static constexpr int lanes = passes::held;

public:
    FADE_FN explicit largest_search(const passes& row) : row_(row) {}

    template <class Operand>
    FADE_FN placed_number operator()(const Operand& x) const {
        placed_number found[lanes];
        if constexpr (P.resident) {
            lane_numbers largest[lanes];
            row_.each_lane([&](lane_coord p) FADE_LAMBDA {
                largest[passes::slot_of(p)] = of_lane_numbers(p, x);
                found[passes::slot_of(p)] = {largest[passes::slot_of(p)].key(), 0};
            });
            row_.each_wave([&](wave_coord w, int slot)
                               FADE_LAMBDA { find_in_wave(w, slot, largest, found, x); });
        } else {
            row_.each_lane([&](lane_coord p) FADE_LAMBDA { found[passes::slot_of(p)] = of_lane(p, x); });
            row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA { fold_wave(w, slot, found); });
        }
        return first_of_waves(found);
    }

    /// Calls f(i, placed number) for the `count` largest in their order. Each lane keeps the first of its own
    /// that was not called yet, and looks for the next where there may be one; its wave alone compares again.
    template <class F, class Operand>
    FADE_FN void each(int count, F f, const Operand& x) const {
        placed_number mine[lanes], of_wave[lanes];
        int left[lanes];
        std::uint32_t bounds[lanes];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            mine[passes::slot_of(p)] = of_wave[passes::slot_of(p)] = of_lane(p, x);
        });
        row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
            const std::uint32_t bound = bound_of(w, slot, mine, count);
            row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                const int at = passes::slot_of(p);
                bounds[at] = bound;
                left[at] = mine[at].key >= bound ? count_from(p, bound, x) : 0;
            });
            fold_wave(w, slot, of_wave);
        });
        FADE_ROLLED
        for (int i = 0; i < count; ++i) {
            const placed_number found = first_of_waves(of_wave);
            f(i, found);
            row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
                if (of_wave[slot + row_.first_slot()].place != found.place) return;
                row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                    const int at = passes::slot_of(p);
                    if (mine[at].place == found.place)
                        mine[at] =
                            --left[at] > 0 ? first_behind(p, found, bounds[at], x) : placed_number::nothing();
                    of_wave[at] = mine[at];
                });
                fold_wave(w, slot, of_wave);
            });
        }
    }

    /// The largest number of each run that a lane holds, or NaN; and of all.
    struct lane_numbers {
        float run[P.resident ? P.runs : 1], all;
        bool nan;
        FADE_FN std::uint32_t key() const {
            return nan ? placed_number::key_of_nan : placed_number::of(all, 0).key;
        }
    };
    template <class Operand>
    FADE_FN lane_numbers of_lane_numbers(lane_coord p, const Operand& x) const {
        lane_numbers out;
        FADE_UNROLL
        for (float& run : out.run) run = below_all;
        out.all = below_all, out.nan = false;
        const auto add = [&](float& run, int first, const auto& numbers) FADE_LAMBDA {
            const auto here = row_.largest_of_run(first, numbers);
            run = here.number_or_nan(), out.nan |= here.nan();
            out.all = here.larger(out.all, run);
        };
        if constexpr (P.resident)
            row_.each_numbered_run_of_lane(
                p,
                [&](lane_coord, int i, const auto& run)
                    FADE_LAMBDA { add(out.run[i], row_.columns().first(p, 0, i), run); },
                x);
        else  // of all alone
            row_.each_run_of_lane(
                p, [&](lane_coord, int first, const auto& run) FADE_LAMBDA { add(out.run[0], first, run); },
                x);
        return out;
    }

private:
    /// The first of what a lane has.
    template <class Operand>
    FADE_FN placed_number of_lane(lane_coord p, const Operand& x) const {
        if constexpr (P.resident) {
            const auto largest = of_lane_numbers(p, x);
            const std::uint32_t key = largest.key();
            const int place = place_in_lane(p, key, largest, x);
            return {place == placed_number::nothing().place ? 0u : key, place};
        } else {
            return of_lane_by_runs(p, x);
        }
    }
    /// By one reading: runs are compared by their largest elements, of which the first is kept.
    template <class Operand>
    FADE_FN placed_number of_lane_by_runs(lane_coord p, const Operand& x) const {
        using held = typename Operand::held;
        std::uint32_t key = 0;
        int at = 0;
        typename held::type best{};
        row_.each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                const float largest = row_.largest_of_run(first, run).number_or_nan();
                const std::uint32_t here = placed_number::of(largest, 0).key;
                const bool better = here > key;
                key = better ? here : key, at = better ? first : at;
                best = held::chosen(better, run.words, best);
            },
            x);
        if (key == 0) return placed_number::nothing();
        placed_number out{key, 0};
        with_comparison(key,
                        [&](auto same) FADE_LAMBDA { out.place = place_of(same, at, held::unpacked(best)); });
        return out;
    }
    /// Keys of lanes become the first of the wave: only lanes that have its largest element look for the
    /// place.
    template <class Operand>
    FADE_FN void find_in_wave(wave_coord w, int slot, const lane_numbers* largest, placed_number* found,
                              const Operand& x) const {
        std::uint32_t key[Block::wave_held], place[Block::wave_held];
        for (int i = 0; i < Block::wave_held; ++i) key[i] = found[slot + i].key;
        row_.fold_wave(w, key, larger_word{});
        row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            int first = placed_number::nothing().place;
            if (found[at].key == key[at - slot]) first = place_in_lane(p, key[at - slot], largest[at], x);
            place[at - slot] = std::uint32_t(first);
        });
        row_.fold_wave(w, place, lower_word{});
        for (int i = 0; i < Block::wave_held; ++i) found[slot + i] = {key[i], int(place[i])};
    }
    /// The first place of a lane that has such a key, which its largest runs have: elements of the first of
    /// those alone are compared.
    template <class Operand>
    FADE_FN int place_in_lane(lane_coord p, std::uint32_t key, const lane_numbers& largest,
                              const Operand& x) const {
        using held = typename Operand::held;
        int place = 0;
        with_comparison(key, [&](auto same) FADE_LAMBDA {
            bool found = false;
            int at = 0;
            typename held::type best{};
            row_.each_numbered_run_of_lane(
                p,
                [&](lane_coord, int i, const auto& run) FADE_LAMBDA {
                    const bool first = !found && same(largest.run[i]);
                    found = found || first;
                    at = first ? row_.columns().first(p, 0, i) : at;
                    best = held::chosen(first, run.words, best);
                },
                x);
            place = found ? place_of(same, at, held::unpacked(best)) : placed_number::nothing().place;
        });
        return place;
    }
    /// Calls f with what says whether a number has this key.
    template <class F>
    FADE_FN static void with_comparison(std::uint32_t key, F f) {
        if (key == placed_number::key_of_nan) return f([](float x) FADE_LAMBDA { return is_nan(x); });
        const float number = placed_number{key, 0}.number();
        f([number](float x) FADE_LAMBDA { return x == number; });
    }
    /// The first place of a run whose number is the same; behind all where none is.
    template <class Same, class Run>
    FADE_FN int place_of(const Same& same, int first, const Run& run) const {
        int place = placed_number::nothing().place;
        FADE_UNROLL
        for (int e = P.run - 1; e >= 0; --e)
            place = row_.columns().holds_of_run(first + e) && same(run[e]) ? first + e : place;
        return place;
    }
    /// Each lane of a wave gets the first of what its lanes have: keys are compared before places.
    FADE_FN void fold_wave(wave_coord w, int slot, placed_number* found) const {
        std::uint32_t key[Block::wave_held], place[Block::wave_held];
        for (int i = 0; i < Block::wave_held; ++i) key[i] = found[slot + i].key;
        row_.fold_wave(w, key, larger_word{});
        for (int i = 0; i < Block::wave_held; ++i)
            place[i] = std::uint32_t(found[slot + i].key == key[i] ? found[slot + i].place
                                                                   : placed_number::nothing().place);
        row_.fold_wave(w, place, lower_word{});
        for (int i = 0; i < Block::wave_held; ++i) found[slot + i] = {key[i], int(place[i])};
    }
    FADE_FN placed_number first_of_waves(const placed_number* of_wave) const {
        return row_.template of_waves<placed_number>(of_wave, [](int waves, auto of) FADE_LAMBDA {
            placed_number first = of(0);
            FADE_UNROLL
            for (int wave = 1; wave < waves; ++wave) first = first_placed{}(first, of(wave));
            return first;
        });
    }
    /// A key that `count` elements of a wave reach, so that no lower one is among the first; 0 where none is
    /// known. `mine`: the first of each lane. Each turn takes away the lanes of the largest key. Where none
    /// is left before the last turn all lanes reach the lowest.
    FADE_FN std::uint32_t bound_of(wave_coord w, int slot, const placed_number* mine, int count) const {
        std::uint32_t rest[Block::wave_held], key[Block::wave_held];
        for (int l = 0; l < Block::wave_held; ++l) rest[l] = key[l] = mine[slot + l].key;
        row_.fold_wave(w, key, lower_word{});
        const std::uint32_t lowest =
            count <= min_of(Block::wave_size, passes::columns_type::lanes) ? key[row_.first_slot()] : 0;
        std::uint32_t bound = 0;
        FADE_ROLLED
        for (int i = 0; i < count; ++i) {
            for (int l = 0; l < Block::wave_held; ++l) key[l] = rest[l];
            row_.fold_wave(w, key, larger_word{});
            bound = key[row_.first_slot()];
            if (bound == 0 && P.rows_of_wave == 1) return lowest;  // rows of a wave go on together
            for (int l = 0; l < Block::wave_held; ++l) rest[l] = rest[l] == bound ? 0 : rest[l];
        }
        return bound == 0 ? lowest : bound;
    }
    /// Calls f(first column, run) for the runs of a lane that have an element of at least this key.
    template <class F, class Columns, class Operand>
    FADE_FN void each_run_from(lane_coord p, std::uint32_t bound, F f, const Columns& columns,
                               const Operand& x) const {
        row_.each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                run_largest<Block, typename Operand::held::numbers, P.run> largest;
                largest.add(columns, first, run);
                if (placed_number::of(largest.number_or_nan(), 0).key >= bound) f(first, run);
            },
            x);
    }
    /// How many elements of a lane have at least this key.
    template <class Operand>
    FADE_FN int count_from(lane_coord p, std::uint32_t bound, const Operand& x) const {
        const float number = placed_number{bound, 0}.number();
        int count = 0;
        each_run_from(
            p, bound,
            [&](int first, const auto& run) FADE_LAMBDA {
                row_.each_element(
                    first,
                    [&](int, float z)
                        FADE_LAMBDA { count += bound == 0 || z >= number || is_nan(z) ? 1 : 0; },
                    run);
            },
            row_.columns(), x);
        return count;
    }
    /// The first element of a lane in the order of placed numbers, of those behind `last` that reach `bound`.
    template <class Operand>
    FADE_FN placed_number first_behind(lane_coord p, const placed_number& last, std::uint32_t bound,
                                       const Operand& x) const {
        placed_number out = placed_number::nothing();
        const auto columns = row_.columns_anew();
        each_run_from(
            p, bound,
            [&](int first, const auto& run) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) {
                    const auto here = placed_number::of(run[e], first + e);
                    const bool behind = columns.holds_of_run(first + e) && last.before(here);
                    out = chosen(behind && here.key > out.key, here, out);
                }
            },
            columns, x);
        return out;
    }

    const passes& row_;
};

}  // namespace FADE_NAMESPACE::block
