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

}  // namespace FADE_NAMESPACE::kernel
