// The mean of a row and the squares around it, by one reading of memory.
// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
// (1979).
#pragma once
#include <fade/block/row/passes.hpp>

namespace FADE_NAMESPACE::block {

/// Rows that registers hold are passed over twice, which costs less than to join what waves would find by one
/// pass (H200: 5 %). Of others each lane takes squares around the mean of what it has seen. No difference of
/// large squares is taken.
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
        float values[held];
        if constexpr (P.resident) {
            each_sum(values, x, [&](vec<float, parts>& to, int first, const auto& run) FADE_LAMBDA {
                add(to, first, run);
            });
            const float mean = row_.across(values, add_floats{}) / float(row_.columns().count);
            each_sum(values, x, [&](vec<float, parts>& to, int first, const auto& run) FADE_LAMBDA {
                add_squares(to, mean, first, run);
            });
            return {mean, row_.across(values, add_floats{})};
        } else {
            part found[held];
            by_lanes(found, x);
            row_.each_lane([&](lane_coord p)
                               FADE_LAMBDA { values[passes::slot_of(p)] = found[passes::slot_of(p)].sum; });
            const float mean = row_.across(values, add_floats{}) / float(row_.columns().count);
            row_.each_lane([&](lane_coord p) FADE_LAMBDA {
                values[passes::slot_of(p)] = around(found[passes::slot_of(p)], mean);
            });
            return {mean, row_.across(values, add_floats{})};
        }
    }

private:
    /// Sums that a lane begins, so that they do not wait for each other: two where a row takes 64 registers.
    static constexpr int parts = P.run * P.runs > 64 ? 2 : 4;
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

    /// Calls add(sums, first column, run) for every run, and leaves what each lane has.
    template <class Operand, class F>
    FADE_FN void each_sum(float* values, const Operand& x, F add) const {
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            vec<float, parts> of_lane{};
            row_.each_run_of_lane(
                p, [&](lane_coord, int first, const auto& run) FADE_LAMBDA { add(of_lane, first, run); }, x);
            values[passes::slot_of(p)] = sum_of(of_lane);
        });
    }
    template <class Operand>
    FADE_FN void by_lanes(part* found, const Operand& x) const {
        row_.each_lane([&](lane_coord p) FADE_LAMBDA {
            part here{0, 0, 0, 0};
            row_.each_run_of_lane(
                p,
                [&](lane_coord, int first, const auto& run)
                    FADE_LAMBDA { here = joined(here, part_of(first, run)); },
                x);
            found[passes::slot_of(p)] = here;
        });
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
