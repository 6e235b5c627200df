// Windows along one dimension, from the outputs and from the inputs.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/kernel/image/layout.hpp>
#include <fade/kernel/pool/problem.hpp>

namespace FADE_NAMESPACE::kernel {

struct window_axis {
    int input, output, taps, stride, dilation, before, behind;

    /// The pixel of a tap; it may lie outside the image.
    FADE_FN constexpr int pixel(int window, int tap) const {
        return window * stride - before + tap * dilation;
    }
    FADE_FN constexpr bool holds(int pixel) const { return pixel >= 0 && pixel < input; }
    /// Windows that reach over a pixel, and whether one of them has a tap there.
    FADE_FN constexpr int first_window(int pixel) const {
        const int behind_first = pixel + before - (taps - 1) * dilation;
        return behind_first > 0 ? ceil_div(behind_first, stride) : 0;
    }
    FADE_FN constexpr int last_window(int pixel) const {
        return min_of((pixel + before) / stride, output - 1);
    }
    FADE_FN constexpr bool sees(int window, int pixel) const {
        return (pixel + before - window * stride) % dilation == 0;
    }
    /// Taps that a mean counts: those within the image, or in the room around it, too.
    FADE_FN constexpr int counted(int window, bool with_room) const {
        const int begin = with_room ? -before : 0, end = input + (with_room ? behind : 0);
        int out = 0;
        for (int tap = 0; tap < taps; ++tap) {
            const int at = pixel(window, tap);
            out += at >= begin && at < end;
        }
        return out;
    }
};

/// Those of a problem, and its two tensors.
struct pool_windows {
    window_axis d, h, w;
    pixel_items x, y;
    bool count_include_pad;

    /// Calls f(pixel of x) for the taps of a window that lie in the image.
    template <class F>
    FADE_FN void each_pixel(const spatial& window, F f) const {
        FADE_ROLLED
        for (int i = 0; i < d.taps; ++i) FADE_ROLLED
        for (int j = 0; j < h.taps; ++j) FADE_ROLLED
        for (int k = 0; k < w.taps; ++k) {
            const spatial at{d.pixel(window.d, i), h.pixel(window.h, j), w.pixel(window.w, k)};
            if (d.holds(at.d) && h.holds(at.h) && w.holds(at.w)) f(at);
        }
    }
    /// Calls f(window) for the windows that see a pixel, in their order.
    template <class F>
    FADE_FN void each_window(const spatial& pixel, F f) const {
        FADE_ROLLED
        for (int i = d.first_window(pixel.d); i <= d.last_window(pixel.d); ++i) FADE_ROLLED
        for (int j = h.first_window(pixel.h); j <= h.last_window(pixel.h); ++j) FADE_ROLLED
        for (int k = w.first_window(pixel.w); k <= w.last_window(pixel.w); ++k)
            if (d.sees(i, pixel.d) && h.sees(j, pixel.h) && w.sees(k, pixel.w)) f(spatial{i, j, k});
    }
    /// What a window's sum is multiplied by; 0 where it counts nothing.
    FADE_FN constexpr float share(const spatial& window) const {
        const int count = d.counted(window.d, count_include_pad) * h.counted(window.h, count_include_pad) *
                          w.counted(window.w, count_include_pad);
        return count > 0 ? 1 / float(count) : 0;
    }
};

/// `run` channels at once.
inline pool_windows windows_of(const pool_problem& p, int run) {
    const image_layout layout(p.batch, p.channels, p.layout);
    const spatial out = p.output();
    return {{p.input.d, out.d, p.window.d, p.stride.d, p.dilation.d, p.pad.d, p.pad_end.d},
            {p.input.h, out.h, p.window.h, p.stride.h, p.dilation.h, p.pad.h, p.pad_end.h},
            {p.input.w, out.w, p.window.w, p.stride.w, p.dilation.w, p.pad.w, p.pad_end.w},
            {layout, p.input, run},
            {layout, out, run},
            p.count_include_pad};
}

}  // namespace FADE_NAMESPACE::kernel
