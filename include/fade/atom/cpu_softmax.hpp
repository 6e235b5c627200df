// The softmax of the host: one row of scores at a time, in vectors.
#pragma once
#include <fade/atom/cpu_isa.hpp>
#include <fade/atom/cpu_packed.hpp>
#include <fade/atom/cpu_vector.hpp>

namespace fade::atom {

/// x = 2^x, to two units in the last place; below -126 zero. Around the nearest whole number a polynomial that is 1 at 0 and otherwise as near as one of its degree can be.
template <int Bytes>
FADE_CPU void power_of_two_lanes(vector<float, Bytes>& x) {
    using word = vector<std::int32_t, Bytes>;
    constexpr float to_whole = 12582912.0f;   // 1.5 * 2^23: adding it leaves no bits behind the point
    const vector<float, Bytes> n = (x + to_whole) - to_whole, f = x - n;
    vector<float, Bytes> p = f * 1.32647133e-3f + 9.67151113e-3f;
    p = p * f + 5.55073358e-2f, p = p * f + 2.40222424e-1f, p = p * f + 6.93147004e-1f, p = p * f + 1.0f;
    const word exponent = (__builtin_convertvector(n, word) + 127) << 23, kept = ~(word)(x < -126.0f);
    x = (vector<float, Bytes>)((word)(p * (vector<float, Bytes>)exponent) & kept);
}

/// What is done to the scores of a row before the softmax, all times log2 e: s = softcap tanh(s * scale / softcap) - slope |distance|.
struct row_rules {
    float scale, softcap, inverse_softcap, slope;   ///< softcap 0: none
    float first_distance;                           ///< of the row's first key to the query's own position
};

/// scores[i] becomes its ruled value.
struct rule_row {
    template <int Bytes>
    FADE_CPU static void apply(float* scores, int count, const row_rules* rules) {
        using lanes = lanes_of<float, Bytes>;
        typename lanes::vector away;
        for (int l = 0; l < lanes::count; ++l) away[l] = rules->first_distance + float(l);
        for (int i = 0; i < count; i += lanes::count, away += float(lanes::count)) {   // the last vector may reach into unused scores
            typename lanes::vector s;
            lanes::load(s, scores + i);
            s *= rules->scale;
            if (rules->softcap > 0) {
                typename lanes::vector e = s * (rules->inverse_softcap * 2.8853901f);
                e = e > 126.0f ? typename lanes::vector{} + 126.0f : e;   // infinity too
                power_of_two_lanes<Bytes>(e);
                s = rules->softcap * (1.0f - 2.0f / (1.0f + e));
            }
            if (rules->slope != 0) s -= rules->slope * (away < 0.0f ? -away : away);
            lanes::store(scores + i, s);
        }
    }
};

/// What a query has seen: its largest score in powers of two, and the sum of its weights relative to that.
struct row_state {
    float maximum, sum;
};

/// How many scores are softened at once, at least: the lanes of the widest vectors.
inline constexpr int soften_unit = 16;

struct larger_of {
    template <class T>
    FADE_CPU static void apply(T& x, const T& y) { x = y > x ? y : x; }
};
struct sum_of {
    template <class T>
    FADE_CPU static void apply(T& x, const T& y) { x += y; }
};

/// All lanes of a vector as one, by halves.
template <class Operation, int Bytes>
FADE_CPU void fold(float& to, const vector<float, Bytes>& x) {
    using half = vector<float, Bytes / 2>;
    half low = reinterpret_cast<const half*>(&x)[0];
    Operation::apply(low, reinterpret_cast<const half*>(&x)[1]);
    if constexpr (Bytes > 16) fold<Operation, Bytes / 2>(to, low);
    else {
        float rest = low[1];
        to = low[0], Operation::apply(to, rest);
    }
}

template <int Bytes>
FADE_CPU void put_weights(float* to, const vector<float, Bytes>& from) { lanes_of<float, Bytes>::store(to, from); }
template <int Bytes>
FADE_CPU void put_weights(packed<bf16>* to, const vector<float, Bytes>& from) { narrow<Bytes>(to, from); }

/// Scores of one query, whole units of them, become weights relative to the largest score so far; `shrink` is what all sums before are to be multiplied by.
/// A NaN is no largest score, since its exponential keeps it. Weights may take the place of scores.
struct soften_row {
    template <int Bytes, class To>
    FADE_CPU static void apply(To* weights, const float* scores, int count, float scale, row_state* state, float* shrink) {
        using lanes = lanes_of<float, Bytes>;
        typename lanes::vector most = typename lanes::vector{} - __builtin_inff(), total{}, x;
        for (int i = 0; i < count; i += lanes::count) {
            lanes::load(x, scores + i);
            larger_of::apply(most, x);
        }
        float largest, sum;
        fold<larger_of, Bytes>(largest, most);
        largest *= scale;
        const float maximum = largest > state->maximum ? largest : state->maximum, base = maximum == -__builtin_inff() ? 0.0f : maximum;
        for (int i = 0; i < count; i += lanes::count) {
            lanes::load(x, scores + i);
            x = x * scale - base;
            power_of_two_lanes<Bytes>(x);
            total += x;
            put_weights<Bytes>(weights + i / pack_of<To>, x);
        }
        fold<sum_of, Bytes>(sum, total);
        *shrink = __builtin_exp2f(state->maximum - base);
        state->maximum = maximum, state->sum = state->sum * *shrink + sum;
    }
};

/// Weights become packs.
struct narrow_row {
    template <int Bytes, class To>
    FADE_CPU static void apply(To* to, const float* from, int count) {
        using lanes = lanes_of<float, Bytes>;
        for (int i = 0; i < count; i += lanes::count) {
            typename lanes::vector x;
            lanes::load(x, from + i);
            put_weights<Bytes>(to + i / pack_of<To>, x);
        }
    }
};

/// row[i] *= factor.
struct shrink_row {
    template <int Bytes>
    FADE_CPU static void apply(float* row, int count, float factor) {
        using lanes = lanes_of<float, Bytes>;
        typename lanes::vector x;
        int i = 0;
        for (; i + lanes::count <= count; i += lanes::count) lanes::load(x, row + i), x *= factor, lanes::store(row + i, x);
        for (; i < count; ++i) row[i] *= factor;
    }
};

}  // namespace fade::atom
