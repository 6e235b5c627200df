// Where a sample lies along one dimension, and what it takes of which pixels.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/kernel/sample/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// Two neighbours and what each counts for. A pixel outside the image counts for nothing.
struct axis_taps {
    int first, second;
    float of_first, of_second;

    FADE_FN constexpr float share(int pixel) const {
        return (pixel == first ? of_first : 0.0f) + (pixel == second ? of_second : 0.0f);
    }
};

/// Of upsample().
struct upsample_axis {
    int input, output;
    upsample_mode mode;
    float scale, offset;  ///< output o lies at o * scale + offset

    FADE_FN constexpr axis_taps taps(int o) const {
        if (mode == upsample_mode::linear) {
            const float at = max_of(float(o) * scale + offset, 0.0f);
            const int pixel = min_of(int(at), input - 1);
            const float share = min_of(at - float(pixel), 1.0f);
            return {pixel, min_of(pixel + 1, input - 1), 1 - share, share};
        }
        const index twice = mode == upsample_mode::nearest ? 2 * index(o) : 2 * index(o) + 1;
        return {int(twice * input / (2 * index(output))), -1, 1, 0};
    }
    /// Outputs that may see a pixel: one more on either side than those that do.
    FADE_FN constexpr int first_output(int pixel) const {
        return max_of(int(float(pixel - 1) * float(output) / float(input)) - 2, 0);
    }
    FADE_FN constexpr int last_output(int pixel) const {
        const float widest = scale > 0 ? 1 / scale : float(output);
        return min_of(int(float(pixel + 2) * max_of(widest, float(output) / float(input))) + 2, output - 1);
    }
};

constexpr upsample_axis upsample_axis_of(int input, int output, upsample_mode mode, bool align_corners) {
    const float ratio = float(input) / float(output);
    if (!align_corners) return {input, output, mode, ratio, 0.5f * ratio - 0.5f};
    return {input, output, mode, output > 1 ? float(input - 1) / float(output - 1) : 0.0f, 0};
}

/// A coordinate in pixels, and how it follows the grid's.
struct grid_place {
    float at, slope;
};

/// Of grid_sample().
struct grid_axis {
    int size;
    grid_mode mode;
    grid_padding padding;
    bool align_corners;

    /// Reflected at `low` and `low + span` until it lies between.
    FADE_FN grid_place reflected(grid_place p, float low, float span) const {
        if (span <= 0) return {0, 0};
        const float from = p.at - low, far = from < 0 ? -from : from;
        const float turns = __builtin_floorf(far / span), rest = far - turns * span;
        const bool even = turns - 2 * __builtin_floorf(turns / 2) == 0;
        const float slope = (from < 0) == even ? -p.slope : p.slope;
        return {(even ? rest : span - rest) + low, slope};
    }
    FADE_FN grid_place clipped(grid_place p) const {
        if (p.at <= 0) return {0, 0};
        const float last = float(size - 1);
        return p.at >= last ? grid_place{last, 0} : p;
    }
    /// An immense coordinate lies outside on its own side, and one that is no number before the first pixel.
    FADE_FN grid_place place(float g) const {
        const float half = float(align_corners ? size - 1 : size) / 2;
        grid_place p{align_corners ? (g + 1) * half : (g + 1) * half - 0.5f, half};
        if (!(p.at > -1e9f && p.at < 1e9f)) p = {p.at > 0 ? 1e9f : -100.0f, 0};
        if (padding == grid_padding::zeros) return p;
        if (padding == grid_padding::reflection)
            p = align_corners ? reflected(p, 0, float(size - 1)) : reflected(p, -0.5f, float(size));
        return clipped(p);
    }
    FADE_FN axis_taps taps(const grid_place& p) const {
        const auto inside = [&](int pixel) { return pixel >= 0 && pixel < size; };
        if (mode == grid_mode::nearest) {
            const int pixel = int(__builtin_rintf(p.at));
            return {pixel, -1, inside(pixel) ? 1.0f : 0.0f, 0};
        }
        const float below = __builtin_floorf(p.at), share = p.at - below;
        const int pixel = int(below);
        return {pixel, pixel + 1, inside(pixel) ? 1 - share : 0.0f, inside(pixel + 1) ? share : 0.0f};
    }
    /// How the shares of both taps follow the grid.
    FADE_FN axis_taps slopes(const grid_place& p) const {
        if (mode == grid_mode::nearest) return {0, -1, 0, 0};
        const int pixel = int(__builtin_floorf(p.at));
        return {pixel, pixel + 1, pixel >= 0 && pixel < size ? -p.slope : 0.0f,
                pixel + 1 >= 0 && pixel + 1 < size ? p.slope : 0.0f};
    }
};

/// Of all dimensions.
struct spatial_taps {
    axis_taps d, h, w;

    /// Calls f(pixel, share) for the neighbours that count.
    template <class F>
    FADE_FN void each(F f) const {
        FADE_ROLLED
        for (int i = 0; i < 8; ++i) {
            const bool far_d = i & 4, far_h = i & 2, far_w = i & 1;
            const float share = (far_d ? d.of_second : d.of_first) * (far_h ? h.of_second : h.of_first) *
                                (far_w ? w.of_second : w.of_first);
            if (share != 0)
                f(spatial{far_d ? d.second : d.first, far_h ? h.second : h.first, far_w ? w.second : w.first},
                  share);
        }
    }
};

}  // namespace FADE_NAMESPACE::kernel
