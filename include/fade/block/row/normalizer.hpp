// The largest element of a row and the sum of the exponentials below it, by one pass and one exchange.
#pragma once
#include <fade/block/row/passes.hpp>
#include <fade/core/number/below_all.hpp>

namespace FADE_NAMESPACE::block {

/// What exponents are counted from: what is below all numbers is no base of them.
FADE_FN float exponent_base(float largest) { return largest == below_all ? 0.0f : largest; }

/// Each wave counts from its own largest element, which its lanes know before they add; rows that are read
/// again by each pass count each lane's from what it has seen so far.
template <class Block, row_policy P>
class normalizer_search {
    using passes = row_passes<Block, P>;
    static constexpr int held = passes::held;

public:
    FADE_FN explicit normalizer_search(const passes& row) : row_(row) {}

    template <class Operand>
    FADE_FN row_normalizer operator()(const Operand& x) const {
        row_normalizer found[held];
        if constexpr (P.resident)
            by_waves(found, x);
        else
            by_lanes(found, x);
        return row_.template of_waves<row_normalizer>(found, [](int count, auto of_wave) FADE_LAMBDA {
            row_normalizer all = of_wave(0);
            if (count == 1) return all;
            FADE_UNROLL
            for (int wave = 1; wave < count; ++wave)
                all.largest = Block::maximum(all.largest, of_wave(wave).largest);
            const float base = exponent_base(all.largest);
            all.sum = 0;
            FADE_UNROLL
            for (int wave = 0; wave < count; ++wave) {
                const row_normalizer part = of_wave(wave);
                all.sum += part.sum * exp(part.largest - base);
            }
            return all;
        });
    }

private:
    static constexpr int parts = min_of(P.run, 4);
    struct larger {
        FADE_FN float operator()(float a, float b) const { return Block::maximum(a, b); }
    };
    FADE_FN static float exp(float x) { return Block::exp2(x * 1.44269504f); }
    FADE_FN static float sum_of(const vec<float, parts>& x) {
        float out = x[0];
        FADE_UNROLL
        for (int e = 1; e < parts; ++e) out += x[e];
        return out;
    }
    template <class Run>
    FADE_FN void add(vec<float, parts>& sums, float base, int first, const Run& run) const {
        row_.each_element(
            first, [&](int e, auto x) FADE_LAMBDA { sums[e % parts] += exp(convert<float>(x) - base); }, run);
    }

    template <class Operand>
    FADE_FN void by_waves(row_normalizer* found, const Operand& x) const {
        float largest[held], sums[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            float here = below_all;
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { here = row_.largest_of_run(here, first, run); },
                x);
            largest[passes::slot_of(p)] = here;
        });
        row_.fold_waves(largest, larger{});
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            vec<float, parts> of_lane{};
            const float base = exponent_base(largest[passes::slot_of(p)]);
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run) FADE_LAMBDA { add(of_lane, base, first, run); },
                x);
            sums[passes::slot_of(p)] = sum_of(of_lane);
        });
        row_.fold_waves(sums, add_floats{});
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            found[passes::slot_of(p)] = {largest[passes::slot_of(p)], sums[passes::slot_of(p)]};
        });
    }

    template <class Operand>
    FADE_FN void by_lanes(row_normalizer* found, const Operand& x) const {
        float largest[held], sums[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            row_normalizer here{below_all, 0};
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                    const float now = row_.largest_of_run(here.largest, first, run),
                                base = exponent_base(now);
                    vec<float, parts> more{};
                    add(more, base, first, run);
                    here = {now, here.sum * exp(here.largest - base) + sum_of(more)};
                },
                x);
            largest[passes::slot_of(p)] = here.largest;
            found[passes::slot_of(p)] = here;
        });
        row_.fold_waves(largest, larger{});
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            sums[at] = found[at].sum * exp(found[at].largest - exponent_base(largest[at]));
        });
        row_.fold_waves(sums, add_floats{});
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            found[passes::slot_of(p)] = {largest[passes::slot_of(p)], sums[passes::slot_of(p)]};
        });
    }

    const passes& row_;
};

}  // namespace FADE_NAMESPACE::block
