// The softmax of the host: one row of scores at a time, in vectors.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/atom/cpu/vector.hpp>

namespace FADE_NAMESPACE::atom {

/// x = 2^x for x from -1/2 to 1/2: a polynomial that is 1 at 0 and otherwise as near as one of its degree can
/// be.
template <int Bytes>
FADE_CPU void power_of_fraction(vector<float, Bytes>& x) {
    const vector<float, Bytes> f = x;
    x = f * 1.32647133e-3f + 9.67151113e-3f;
    x = x * f + 5.55073358e-2f, x = x * f + 2.40222424e-1f, x = x * f + 6.93147004e-1f, x = x * f + 1.0f;
}

#if !defined(__clang__)
/// Has the compiler know nothing of x. Clang would have it said for which instructions this is.
template <int Bytes>
FADE_CPU void fence_registers(vector<float, Bytes>& x) {
#if defined(__x86_64__)
    if constexpr (Bytes == 64)
        __asm__("" : "+v"(x));
    else
        __asm__("" : "+x"(x));
#else
    __asm__("" : "+m"(x));
#endif
}
#endif

/// n = x + to_whole - to_whole, which no compiler may take for x (-ffast-math), nor add to what x is made of.
template <int Bytes>
FADE_CPU void round_to_whole(vector<float, Bytes>& n, vector<float, Bytes>& x) {
#if defined(__clang__)
#pragma clang fp reassociate(off)
#else
    fence_registers<Bytes>(x);
#endif
    constexpr float to_whole = 12582912.0f;  // 1.5 * 2^23: adding it leaves no bits behind the point
    n = x + to_whole;
#if !defined(__clang__)
    fence_registers<Bytes>(n);
#endif
    n -= to_whole;
}

/// x = 2^x, to two units in the last place; below -126 zero.
template <int Bytes>
FADE_CPU void power_of_two_lanes(vector<float, Bytes>& x) {
    using word = vector<std::int32_t, Bytes>;
    vector<float, Bytes> n;
    round_to_whole<Bytes>(n, x);
    const word exponent = (__builtin_convertvector(n, word) + 127) << 23, kept = ~(word)(x < -126.0f);
    vector<float, Bytes> p = x - n;
    power_of_fraction<Bytes>(p);
    x = (vector<float, Bytes>)((word)(p * (vector<float, Bytes>)exponent) & kept);
}

/// What is done to the scores of a row before the softmax: s = softcap tanh(s * scale / softcap) - slope
/// |distance|.
struct row_rules {
    float scale, softcap, inverse_softcap, slope;  ///< softcap 0: none
    float first_distance;                          ///< of the row's first key to the query's own position
};

/// scores[i] becomes its ruled value.
struct rule_row {
    template <int Bytes>
    FADE_CPU static void apply(float* scores, int count, const row_rules* rules) {
        using lanes = lanes_of<float, Bytes>;
        typename lanes::vector away;
        for (int l = 0; l < lanes::count; ++l) away[l] = rules->first_distance + float(l);
        for (int i = 0; i < count; i += lanes::count,
                 away += float(lanes::count)) {  // the last vector may reach into unused scores
            typename lanes::vector s;
            lanes::load(s, scores + i);
            s *= rules->scale;
            if (rules->softcap > 0) {
                typename lanes::vector e = s * (rules->inverse_softcap * 2.8853901f);
                e = e > 126.0f ? typename lanes::vector{} + 126.0f : e;  // infinity too
                power_of_two_lanes<Bytes>(e);
                const typename lanes::vector y = s * rules->inverse_softcap, z = y * y,
                                             series = s * (1.0f + z * (-0.33333333f +
                                                                       z * (0.13333333f - z * 0.053968254f)));
                s = z < 0.04f ? series
                              : rules->softcap *
                                    (1.0f - 2.0f / (1.0f + e));  // for small y the exponential cancels; the
                                                                 // series of tanh is cut behind y^7
            }
            if (rules->slope != 0) s -= rules->slope * (away < 0.0f ? -away : away);
            lanes::store(scores + i, s);
        }
    }
};

/// The largest score that a query has seen, and the sum of its probabilities relative to that. Where it has
/// seen none the first is unseen_score, which is finite: compilers may be told that there are no infinities.
struct row_state {
    float maximum, sum;
};
inline constexpr float unseen_score = -3.40282347e+38f;

/// How many scores are softened at once, at least: the lanes of two of the widest vectors, which do not wait
/// for each other.
inline constexpr int soften_unit = 32;

/// x becomes the larger of both, or what it was where y is a NaN; its sum with y.
struct larger_of {
    template <int Bytes>
    FADE_CPU static void apply(vector<float, Bytes>& x, const vector<float, Bytes>& y) {
        x = y > x ? y : x;
    }
    FADE_CPU static float of(float x, float y) { return y > x ? y : x; }
};
struct sum_of {
    template <int Bytes>
    FADE_CPU static void apply(vector<float, Bytes>& x, const vector<float, Bytes>& y) {
        x += y;
    }
    FADE_CPU static float of(float x, float y) { return x + y; }
};

/// All lanes of a vector as one, by halves.
template <class Operation, int Bytes>
FADE_CPU float fold(const vector<float, Bytes>& x) {
    using half = vector<float, Bytes / 2>;
    half low = reinterpret_cast<const half*>(&x)[0];
    Operation::template apply<Bytes / 2>(low, reinterpret_cast<const half*>(&x)[1]);
    if constexpr (Bytes > 16)
        return fold<Operation, Bytes / 2>(low);
    else
        return Operation::of(low[0], low[1]);
}

/// Raises the largest score to that of these, which are whole units, and rescales the sum to it; gives the
/// factor. A NaN is no largest score, since its exponential keeps it.
template <int Bytes>
FADE_CPU float raise_maximum(const float* scores, int count, float scale, row_state* state) {
    using lanes = lanes_of<float, Bytes>;
    typename lanes::vector max = typename lanes::vector{} + unseen_score, others = max, x, y;
    for (int i = 0; i < count; i += 2 * lanes::count) {
        lanes::load(x, scores + i), lanes::load(y, scores + i + lanes::count);
        larger_of::apply<Bytes>(max, x), larger_of::apply<Bytes>(others, y);
    }
    larger_of::apply<Bytes>(max, others);
    const float largest = fold<larger_of, Bytes>(max), before = state->maximum;
    if (!(largest > before)) return 1.0f;
    state->maximum = largest;
    const float factor = __builtin_exp2f((before - largest) * scale);
    state->sum *= factor;
    return factor;
}

/// What is subtracted from scaled scores: the scaled maximum. Where that is so far from zero that its
/// rounding would leave no probability near 1, scores lose their maximum before they are scaled, and then
/// nothing.
template <int Bytes>
FADE_CPU float center_scores(float* scores, int count, float scale, const row_state& state) {
    using lanes = lanes_of<float, Bytes>;
    const float base = state.maximum * scale;
    if (__builtin_fabsf(base) < 16777216.0f) return base;
    if (state.maximum > unseen_score)
        for (int i = 0; i < count; i += lanes::count) {
            typename lanes::vector x;
            lanes::load(x, scores + i), x -= state.maximum, lanes::store(scores + i, x);
        }
    return 0;
}

/// Scores of one query, whole units of them, become probabilities relative to the largest score so far.
/// `factor` is what outputs are to be multiplied by that were summed before.
struct soften_row {
    template <int Bytes>
    FADE_CPU static void apply(float* scores, int count, float scale, row_state* state, float* factor) {
        using lanes = lanes_of<float, Bytes>;
        *factor = raise_maximum<Bytes>(scores, count, scale, state);
        const float base = center_scores<Bytes>(scores, count, scale, *state);
        typename lanes::vector sum{}, others{}, x, y;
        for (int i = 0; i < count; i += 2 * lanes::count) {
            lanes::load(x, scores + i), lanes::load(y, scores + i + lanes::count);
            x = x * scale - base, y = y * scale - base;
            power_of_two_lanes<Bytes>(x), power_of_two_lanes<Bytes>(y);
            sum += x, others += y;
            lanes::store(scores + i, x), lanes::store(scores + i + lanes::count, y);
        }
        sum += others;
        state->sum += fold<sum_of, Bytes>(sum);
    }
};

/// row[i] *= factor.
struct rescale_row {
    template <int Bytes>
    FADE_CPU static void apply(float* row, int count, float factor) {
        using lanes = lanes_of<float, Bytes>;
        typename lanes::vector x;
        int i = 0;
        for (; i + lanes::count <= count; i += lanes::count)
            lanes::load(x, row + i), x *= factor, lanes::store(row + i, x);
        for (; i < count; ++i) row[i] *= factor;
    }
};

}  // namespace FADE_NAMESPACE::atom
