// The largest element of a row and the sum of the exponentials below it, by one pass and one exchange.
#pragma once
#include <fade/block/row/passes.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/score.hpp>

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
        else if (x.is_staged(row_.columns()))
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
    /// 2^(x factor - base) by one rounding, where x - largest would take one more instruction. `base` is
    /// rounded, so all powers are too large by the same factor, 2^error. Beyond 2^30, where neighbours are 64
    /// apart, powers of two serve as well as those of e: their base is exact.
    struct powers {
        float factor, base, error;
        FADE_FN explicit powers(float largest) {
            const float from = exponent_base(largest);
            factor = __builtin_fabsf(from) < 1073741824.0f ? log2_e : 1.0f;
            base = from * factor;
            error = Block::multiply_add({from, from}, factor, -base)[0];
        }
        FADE_FN float of(float x) const { return Block::exp2(Block::multiply_add({x, x}, factor, -base)[0]); }
        FADE_FN float corrected(float sum) const { return sum * Block::exp2(-error); }
    };
    FADE_FN static float exp(float x) { return Block::exp2(x * 1.44269504f); }
    FADE_FN static float sum_of(const vec<float, parts>& x) {
        float out = x[0];
        FADE_UNROLL
        for (int e = 1; e < parts; ++e) out += x[e];
        return out;
    }
    /// Adds exponential(element) of those that the row has.
    template <class Run, class F>
    FADE_FN void add(vec<float, parts>& sums, F exponential, int first, const Run& run) const {
        row_.each_element(first, [&](int e, float x) FADE_LAMBDA { sums[e % parts] += exponential(x); }, run);
    }

    template <class Operand>
    FADE_FN void by_waves(row_normalizer* found, const Operand& x) const {
        float largest[held], sums[held];
        row_.each_lane([&](lane_coord p)
                           FADE_LAMBDA { largest[passes::slot_of(p)] = row_.largest_of_lane(p, x); });
        row_.fold_largest(largest);
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            vec<float, parts> of_lane{};
            const powers power(largest[passes::slot_of(p)]);
            const auto exponential = [&](float z) FADE_LAMBDA { return power.of(z); };
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { add(of_lane, exponential, first, run); },
                x);
            sums[passes::slot_of(p)] = power.corrected(sum_of(of_lane));
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
                    const float now = Block::maximum(here.largest, row_.largest_of_run(first, run).number()),
                                base = exponent_base(now);
                    vec<float, parts> more{};
                    add(more, [&](float z) FADE_LAMBDA { return exp(z - base); }, first, run);
                    here = {now, here.sum * exp(here.largest - base) + sum_of(more)};
                },
                x);
            largest[passes::slot_of(p)] = here.largest;
            found[passes::slot_of(p)] = here;
        });
        row_.fold_largest(largest);
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
