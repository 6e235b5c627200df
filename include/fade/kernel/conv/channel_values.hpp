// Values of some neighbouring channels, which the transforms of convolutions transform alike.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::kernel {

template <int Run>
struct channel_values {
    vec<float, Run> of;

    FADE_FN friend channel_values operator+(const channel_values& a, const channel_values& b) {
        channel_values out;
        unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = a.of[e] + b.of[e]; });
        return out;
    }
    FADE_FN friend channel_values operator-(const channel_values& a, const channel_values& b) {
        channel_values out;
        unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = a.of[e] - b.of[e]; });
        return out;
    }
    FADE_FN friend channel_values operator*(float factor, const channel_values& a) {
        channel_values out;
        unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = factor * a.of[e]; });
        return out;
    }
};

/// Values that are made before what follows: they could be made in each branch that stores one of them, and
/// registers would hold what all of them are made of.
template <class Block, int Run>
FADE_FN void made_here(channel_values<Run>& values) {
    unrolled<Run>([&](int e) FADE_LAMBDA {
        float value = values.of[e];
        Block::keep(value);
        values.of[e] = value;
    });
}

}  // namespace FADE_NAMESPACE::kernel
