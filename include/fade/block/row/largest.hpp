// The largest elements of a row and where they stand.
#pragma once
#include <fade/block/row/passes.hpp>
#include <fade/core/number/any_nan.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>

namespace FADE_NAMESPACE::block {

/// The largest by one pass: a lane compares runs by their largest numbers, and looks for the place in the
/// first of the largest runs alone.
template <class Block, row_policy P>
class largest_search {
    using passes = row_passes<Block, P>;
    static constexpr int lanes = passes::held, parts = min_of(P.run, 4);

public:
    FADE_FN explicit largest_search(const passes& row) : row_(row) {}

    template <class Operand>
    FADE_FN placed_number operator()(const Operand& x) const {
        placed_number found[lanes];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA { found[passes::slot_of(p)] = of_lane(p, x); });
        return row_.across(found, first_placed{});
    }

    /// Calls f(i, placed number) for the `count` largest in their order. Each lane keeps the first of its own
    /// that was not called yet, and looks again where that was; its wave alone compares again.
    template <class F, class Operand>
    FADE_FN void each(int count, F f, const Operand& x) const {
        placed_number mine[lanes], of_wave[lanes];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            mine[passes::slot_of(p)] = of_wave[passes::slot_of(p)] = of_lane(p, x);
        });
        row_.fold_waves(of_wave, first_placed{});
        FADE_ROLLED
        for (int i = 0; i < count; ++i) {
            const auto found =
                row_.template of_waves<placed_number>(of_wave, [](int waves, auto of) FADE_LAMBDA {
                    placed_number first = of(0);
                    FADE_UNROLL
                    for (int wave = 1; wave < waves; ++wave) first = first_placed{}(first, of(wave));
                    return first;
                });
            f(i, found);
            row_.each_wave([&](wave_coord w, int slot) FADE_LAMBDA {
                if (of_wave[slot].place != found.place) return;
                row_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                    const int at = passes::slot_of(p);
                    if (mine[at].place == found.place) mine[at] = first_behind(p, found, x);
                    of_wave[at] = mine[at];
                });
                wave::fold_lanes(row_.block(), w, of_wave + slot, first_placed{});
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
        vec<float, parts> largest;
        FADE_UNROLL
        for (int e = 0; e < parts; ++e) largest[e] = below_all;
        row_.each_element(
            first,
            [&](int e, auto x)
                FADE_LAMBDA { largest[e % parts] = Block::maximum(largest[e % parts], convert<float>(x)); },
            run);
        FADE_UNROLL
        for (int e = 1; e < parts; ++e) largest[0] = Block::maximum(largest[0], largest[e]);
        // What is no element of the row is 0 here.
        const bool nan = any_nan(run);
        return nan ? placed_number::key_of_nan : placed_number::of(largest[0], 0).key;
    }
    /// The first place in a run that has such a key; there is one.
    template <class Run>
    FADE_FN int place_of(std::uint32_t key, int first, const Run& run) const {
        int place = placed_number::nothing().place;
        FADE_UNROLL
        for (int e = P.run - 1; e >= 0; --e) {
            const bool here = row_.columns().holds_of_run(first + e) &&
                              placed_number::of(convert<float>(run[e]), 0).key == key;
            place = here ? first + e : place;
        }
        return place;
    }
    /// The first element of a lane in the order of placed numbers, of those behind `last`.
    template <class Operand>
    FADE_FN placed_number first_behind(lane_coord p, const placed_number& last, const Operand& x) const {
        std::uint64_t out = placed_number::nothing().word();
        row_.each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) {
                    const auto here = placed_number::of(convert<float>(run[e]), first + e).word();
                    const bool better =
                        row_.columns().holds_of_run(first + e) && here < last.word() && out < here;
                    out = better ? here : out;
                }
            },
            x);
        return placed_number::of_word(out);
    }

    const passes& row_;
};

}  // namespace FADE_NAMESPACE::block
