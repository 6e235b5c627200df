// The mean of a row and the squares around it, by one pass and one exchange.
// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
// (1979).
#pragma once
#include <fade/block/row/passes.hpp>

namespace FADE_NAMESPACE::block {

/// Each wave takes squares around its own mean, which its lanes know before they add; rows that are read
/// again by each pass take them around the mean of what a lane has seen. No difference of large squares is
/// taken.
template <class Block, row_policy P>
class moments_search {
    using passes = row_passes<Block, P>;
    static constexpr int held = passes::held;
    /// Of some elements.
    struct part {
        float count, sum, mean, squares;  ///< squares around the mean
    };

public:
    FADE_FN explicit moments_search(const passes& row) : row_(row) {}

    template <class Operand>
    FADE_FN row_moments operator()(const Operand& x) const {
        part found[held];
        if constexpr (P.resident)
            by_waves(found, x);
        else
            by_lanes(found, x);
        const float columns = float(row_.columns().count);
        return row_.template of_waves<row_moments>(found, [=](int count, auto of_wave) FADE_LAMBDA {
            if (count == 1) return row_moments{of_wave(0).mean, of_wave(0).squares};
            float sum = 0;
            each_of(count, [&](int wave) FADE_LAMBDA { sum += of_wave(wave).sum; });
            row_moments all{sum / columns, 0};
            each_of(count, [&](int wave) FADE_LAMBDA { all.squares += around(of_wave(wave), all.mean); });
            return all;
        });
    }

private:
    static constexpr int parts = min_of(P.run, 4);
    FADE_FN static float sum_of(const vec<float, parts>& x) {
        float out = x[0];
        FADE_UNROLL
        for (int e = 1; e < parts; ++e) out += x[e];
        return out;
    }
    /// The squares of a part around a mean of more.
    FADE_FN static float around(const part& x, float mean) {
        return x.squares + x.count * (x.mean - mean) * (x.mean - mean);
    }
    /// One after the other where registers are full of a row.
    template <class F>
    FADE_FN static void each_of(int count, F f) {
        if constexpr (P.runs > 8) {
            FADE_ROLLED
            for (int i = 0; i < count; ++i) f(i);
        } else {
            FADE_UNROLL
            for (int i = 0; i < count; ++i) f(i);
        }
    }
    template <class Run>
    FADE_FN void add(vec<float, parts>& sums, int first, const Run& run) const {
        row_.each_element(
            first, [&](int e, auto x) FADE_LAMBDA { sums[e % parts] += convert<float>(x); }, run);
    }
    template <class Run>
    FADE_FN void add_squares(vec<float, parts>& sums, float mean, int first, const Run& run) const {
        row_.each_element(
            first,
            [&](int e, auto x) FADE_LAMBDA {
                const float off = convert<float>(x) - mean;
                sums[e % parts] += off * off;
            },
            run);
    }

    template <class Operand>
    FADE_FN void by_waves(part* found, const Operand& x) const {
        float sums[held], squares[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            vec<float, parts> of_lane{};
            row_.each_run_of_lane(
                p, [&](lane_coord, int first, const auto& run) FADE_LAMBDA { add(of_lane, first, run); }, x);
            sums[passes::slot_of(p)] = sum_of(of_lane);
        });
        row_.fold_waves(sums, add_floats{});
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            const float count = float(row_.count_of(p.wave));
            found[at] = {count, sums[at], count > 0 ? sums[at] * Block::reciprocal(count) : 0.0f, 0};
            vec<float, parts> of_lane{};
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { add_squares(of_lane, found[at].mean, first, run); },
                x);
            squares[at] = sum_of(of_lane);
        });
        row_.fold_waves(squares, add_floats{});
        row_.each_lane([&](lane_coord p)
                           FADE_LAMBDA { found[passes::slot_of(p)].squares = squares[passes::slot_of(p)]; });
    }

    template <class Operand>
    FADE_FN void by_lanes(part* found, const Operand& x) const {
        float sums[held], squares[held];
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            part here{0, 0, 0, 0};
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { here = joined(here, part_of(first, run)); },
                x);
            found[passes::slot_of(p)] = here;
            sums[passes::slot_of(p)] = here.sum;
        });
        row_.fold_waves(sums, add_floats{});
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            const float count = float(row_.count_of(p.wave)), mean = count > 0 ? sums[at] / count : 0.0f;
            squares[at] = around(found[at], mean);
            found[at] = {count, sums[at], mean, 0};
        });
        row_.fold_waves(squares, add_floats{});
        row_.each_lane([&](lane_coord p)
                           FADE_LAMBDA { found[passes::slot_of(p)].squares = squares[passes::slot_of(p)]; });
    }
    /// Of one run, which has elements of the row.
    template <class Run>
    FADE_FN part part_of(int first, const Run& run) const {
        const int end = min_of(first + P.run, row_.columns().count);
        part out{float(end - (first < 0 ? 0 : first)), 0, 0, 0};
        vec<float, parts> sums{}, squares{};
        add(sums, first, run);
        out.sum = sum_of(sums), out.mean = out.sum / out.count;
        add_squares(squares, out.mean, first, run);
        out.squares = sum_of(squares);
        return out;
    }
    FADE_FN static part joined(const part& a, const part& b) {
        const float count = a.count + b.count, share = b.count / count, off = b.mean - a.mean;
        return {count, a.sum + b.sum, a.mean + off * share,
                a.squares + b.squares + off * off * a.count * share};
    }

    const passes& row_;
};

}  // namespace FADE_NAMESPACE::block
