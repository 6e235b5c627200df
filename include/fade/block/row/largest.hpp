// The largest elements of a row and where they stand.
#pragma once
#include <fade/block/row/passes.hpp>
#include <fade/core/number/any_nan.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/wave/keep.hpp>

namespace FADE_NAMESPACE::block {

/// The largest by one pass: a lane compares runs by their largest numbers, and looks for the place in the
/// first of the largest runs alone.
template <class Block, row_policy P>
class largest_search {
    using passes = row_passes<Block, P>;
    static constexpr int lanes = passes::held;

public:
    FADE_FN explicit largest_search(const passes& row) : row_(row) {}

    template <class Operand>
    FADE_FN placed_number operator()(const Operand& x) const {
        placed_number found[lanes];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA { found[passes::slot_of(p)] = of_lane(p, x); });
        row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA { fold_wave(w, slot, found); });
        return first_of_waves(found);
    }

    /// Calls f(i, placed number) for the `count` largest in their order. Each lane keeps the first of its own
    /// that was not called yet, and looks for the next where there may be one; its wave alone compares again.
    template <class F, class Operand>
    FADE_FN void each(int count, F f, const Operand& x) const {
        placed_number mine[lanes], of_wave[lanes];
        int left[lanes];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            mine[passes::slot_of(p)] = of_wave[passes::slot_of(p)] = of_lane(p, x);
        });
        row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
            const std::uint32_t bound = bound_of(w, slot, mine, count);
            row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                const int at = passes::slot_of(p);
                left[at] = mine[at].key >= bound ? count_from(p, bound, x) : 0;
            });
            fold_wave(w, slot, of_wave);
        });
        FADE_ROLLED
        for (int i = 0; i < count; ++i) {
            const placed_number found = first_of_waves(of_wave);
            f(i, found);
            row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
                if (of_wave[slot].place != found.place) return;
                row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                    const int at = passes::slot_of(p);
                    if (mine[at].place == found.place)
                        mine[at] = --left[at] > 0 ? first_behind(p, found, x) : placed_number::nothing();
                    of_wave[at] = mine[at];
                });
                fold_wave(w, slot, of_wave);
            });
        }
    }

private:
    template <class Operand>
    FADE_FN placed_number of_lane(lane_coord p, const Operand& x) const {
        using held = typename Operand::held;
        std::uint32_t key = 0;
        int at = 0;
        typename held::type best{};
        row_.each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                const std::uint32_t here = key_of(first, run);
                const bool better = here > key;
                key = better ? here : key, at = better ? first : at;
                best = held::chosen(better, held::packed(run), best);
            },
            x);
        return key == 0 ? placed_number::nothing()
                        : placed_number{key, place_of(key, at, held::unpacked(best))};
    }
    /// The key of a run's largest number.
    template <class Run>
    FADE_FN std::uint32_t key_of(int first, const Run& run) const {
        const float largest = row_.largest_of_run(below_all, first, run);
        // What is no element of the row is 0 here.
        const bool nan = any_nan(run);
        return nan ? placed_number::key_of_nan : placed_number::of(largest, 0).key;
    }
    /// The first place in a run that has such a key; there is one.
    template <class Run>
    FADE_FN int place_of(std::uint32_t key, int first, const Run& run) const {
        const float number = placed_number{key, 0}.number();
        int place = placed_number::nothing().place;
        FADE_UNROLL
        for (int e = P.run - 1; e >= 0; --e) {
            const float x = convert<float>(run[e]);
            const bool same = key == placed_number::key_of_nan ? is_nan(x) : x == number;
            place = row_.columns().holds_of_run(first + e) && same ? first + e : place;
        }
        return place;
    }
    /// Each lane of a wave gets the first of what its lanes have: keys are compared before places.
    FADE_FN void fold_wave(wave_coord w, int slot, placed_number* found) const {
        std::uint32_t key[Block::wave_held], place[Block::wave_held];
        for (int i = 0; i < Block::wave_held; ++i) key[i] = found[slot + i].key;
        wave::fold_lanes(row_.block(), w, key, larger_word{});
        for (int i = 0; i < Block::wave_held; ++i)
            place[i] = std::uint32_t(found[slot + i].key == key[i] ? found[slot + i].place
                                                                   : placed_number::nothing().place);
        wave::fold_lanes(row_.block(), w, place, lower_word{});
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
    /// A key that `count` elements of a wave reach, so that no lower one is among the first; 0 where its
    /// lanes are fewer. `mine`: the first of each lane.
    FADE_FN std::uint32_t bound_of(wave_coord w, int slot, const placed_number* mine, int count) const {
        std::uint32_t rest[Block::wave_held], key[Block::wave_held], bound = 0;
        for (int i = 0; i < Block::wave_held; ++i) rest[i] = mine[slot + i].key;
        FADE_ROLLED
        for (int i = 0; i < count; ++i) {
            for (int l = 0; l < Block::wave_held; ++l) key[l] = rest[l];
            wave::fold_lanes(row_.block(), w, key, larger_word{});
            bound = key[0];
            if (bound == 0) return 0;
            take_first(w, slot, mine, rest, bound);
        }
        return bound;
    }
    /// Takes away one of the lanes whose rest has such a key: places differ.
    FADE_FN void take_first(wave_coord w, int slot, const placed_number* mine, std::uint32_t* rest,
                            std::uint32_t key) const {
        std::uint32_t place[Block::wave_held];
        const std::uint32_t none = std::uint32_t(placed_number::nothing().place);
        for (int l = 0; l < Block::wave_held; ++l)
            place[l] = rest[l] == key ? std::uint32_t(mine[slot + l].place) : none;
        wave::fold_lanes(row_.block(), w, place, lower_word{});
        for (int l = 0; l < Block::wave_held; ++l)
            if (rest[l] == key && std::uint32_t(mine[slot + l].place) == place[l]) rest[l] = 0;
    }
    /// How many elements of a lane have at least this key.
    template <class Operand>
    FADE_FN int count_from(lane_coord p, std::uint32_t bound, const Operand& x) const {
        const float number = placed_number{bound, 0}.number();
        int count = 0;
        row_.each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                row_.each_element(
                    first,
                    [&](int, auto element) FADE_LAMBDA {
                        const float z = convert<float>(element);
                        count += bound == 0 || z >= number || is_nan(z) ? 1 : 0;
                    },
                    run);
            },
            x);
        return count;
    }
    /// The first element of a lane in the order of placed numbers, of those behind `last`.
    template <class Operand>
    FADE_FN placed_number first_behind(lane_coord p, const placed_number& last, const Operand& x) const {
        placed_number out = placed_number::nothing();
        // Who calls this in a loop would keep what each element compares to in scalar registers.
        auto columns = row_.columns();
        columns.count = wave::kept<Block>(columns.count);
        row_.each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) {
                    const auto here = placed_number::of(convert<float>(run[e]), first + e);
                    const bool behind = columns.holds_of_run(first + e) && last.before(here);
                    out = chosen(behind && here.key > out.key, here, out);
                }
            },
            x);
        return out;
    }

    const passes& row_;
};

}  // namespace FADE_NAMESPACE::block
