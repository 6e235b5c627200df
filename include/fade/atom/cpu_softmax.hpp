// The softmax of the host: one row of scores at a time, in vectors.
#pragma once
#include <fade/atom/cpu_isa.hpp>
#include <fade/atom/cpu_vector.hpp>

namespace fade::atom {

/// x = 2^x, to two units in the last place; below -126 zero. Taylor's series around the nearest whole number.
template <int Bytes>
FADE_CPU void power_of_two_lanes(vector<float, Bytes>& x) {
    using word = vector<std::int32_t, Bytes>;
    constexpr float to_whole = 12582912.0f;   // 1.5 * 2^23: adding it leaves no bits behind the point
    const vector<float, Bytes> n = (x + to_whole) - to_whole, f = x - n;
    vector<float, Bytes> p = f * 1.5403530e-4f + 1.3333558e-3f;
    p = p * f + 9.6181291e-3f, p = p * f + 5.5504109e-2f, p = p * f + 2.4022651e-1f, p = p * f + 6.9314718e-1f, p = p * f + 1.0f;
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

/// The largest of `count` scores; NaN counts as nothing here, since its exponential keeps it.
struct largest_of_row {
    template <int Bytes>
    FADE_CPU static void apply(const float* scores, int count, float* largest) {
        using lanes = lanes_of<float, Bytes>;
        float m = *largest;
        int i = 0;
        if (count >= lanes::count) {
            typename lanes::vector most, x;
            lanes::load(most, scores);
            for (i = lanes::count; i + lanes::count <= count; i += lanes::count) lanes::load(x, scores + i), most = x > most ? x : most;
            for (int l = 0; l < lanes::count; ++l) m = most[l] > m ? most[l] : m;
        }
        for (; i < count; ++i) m = scores[i] > m ? scores[i] : m;
        *largest = m;
    }
};

/// scores[i] = 2^(scores[i] * scale - base), and their sum.
struct exponentiate_row {
    template <int Bytes>
    FADE_CPU static void apply(float* scores, int count, float scale, float base, float* sum) {
        using lanes = lanes_of<float, Bytes>;
        typename lanes::vector total{}, x;
        int i = 0;
        for (; i + lanes::count <= count; i += lanes::count) {
            lanes::load(x, scores + i);
            x = x * scale - base;
            power_of_two_lanes<Bytes>(x);
            total += x;
            lanes::store(scores + i, x);
        }
        float s = 0;
        for (int l = 0; l < lanes::count; ++l) s += total[l];
        for (; i < count; ++i) {
            typename lanes::vector one{};
            one[0] = scores[i] * scale - base;
            power_of_two_lanes<Bytes>(one);
            s += scores[i] = one[0];
        }
        *sum = s;
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
