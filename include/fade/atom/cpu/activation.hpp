// Activations of the host: a row of values at a time, in vectors.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/atom/cpu/softmax.hpp>
#include <fade/atom/cpu/vector.hpp>

namespace FADE_NAMESPACE::atom {

/// x = e^x, off by a relative 1e-7 (2 + |x|); 2^126 from 87.3 on: under -ffast-math compilers divide by steps
/// that make no number of infinity.
template <int Bytes>
FADE_CPU void exponential_lanes(vector<float, Bytes>& x) {
    constexpr float max = 126.0f;
    x *= 1.44269504f;
    x = x > max ? vector<float, Bytes>{} + max : x;
    power_of_two_lanes<Bytes>(x);
}

/// 1 / (1 + e^-x).
struct logistic_lanes {
    template <int Bytes>
    FADE_CPU static void apply(vector<float, Bytes>& x) {
        using lanes = vector<float, Bytes>;
        const lanes minus = -x;
        x = minus;
        exponential_lanes<Bytes>(x);
        const lanes value = 1.0f / (1.0f + x);
        x = minus > 87.0f ? lanes{} : value;
    }
};

struct silu_lanes {
    template <int Bytes>
    FADE_CPU static void apply(vector<float, Bytes>& x) {
        vector<float, Bytes> s = x;
        logistic_lanes::apply<Bytes>(s);
        x *= s;
    }
};

struct gelu_tanh_lanes {
    template <int Bytes>
    FADE_CPU static void apply(vector<float, Bytes>& x) {
        vector<float, Bytes> s = 1.59576912f * (x + 0.044715f * x * x * x);
        logistic_lanes::apply<Bytes>(s);
        x *= s;
    }
};

/// By erf as epilogue/math.hpp has it.
struct gelu_lanes {
    template <int Bytes>
    FADE_CPU static void apply(vector<float, Bytes>& x) {
        using lanes = vector<float, Bytes>;
        const lanes z = x * 0.70710678f, a = z < 0.0f ? -z : z, t = 1.0f / (1.0f + 0.3275911f * a);
        const lanes series =
            ((((1.061405429f * t - 1.453152027f) * t) + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f;
        lanes e = -a * a;
        exponential_lanes<Bytes>(e);
        const lanes y = 1.0f - series * t * e;
        x = 0.5f * x * (1.0f + (z < 0.0f ? -y : y));
    }
};

/// A function of lanes on a row, whose memory reaches to the end of its last vector of 64 bytes.
template <class Function>
struct each_vector {
    template <int Bytes>
    FADE_CPU static void apply(float* row, int count) {
        using lanes = lanes_of<float, Bytes>;
        for (int i = 0; i < count; i += lanes::count) {
            typename lanes::vector x;
            lanes::load(x, row + i);
            Function::template apply<Bytes>(x);
            lanes::store(row + i, x);
        }
    }
};

}  // namespace FADE_NAMESPACE::atom
