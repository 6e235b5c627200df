// Samples at the points of a grid, and their gradients.
#pragma once
#include <fade/kernel/image/run.hpp>
#include <fade/kernel/sample/axis.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class T>
struct grid_sample_arguments {
    grid_sample_operands<T> forward;
    grid_sample_gradient_operands<T> backward;
    grid_axis d, h, w;
    pixel_items x, y;
    pixel_items points;    ///< of all images, without channels
    pixel_items channels;  ///< runs of channels of all images, without pixels
    int dimensions, pixels, outputs;
    int inner_images;  ///< channels that are images of their own
    int all_channels;  ///< of an image
    float* sums;       ///< of x's shape: dx itself where that is f32

    struct places {
        grid_place d, h, w;
    };
    FADE_FN places place(const float* grid, index point) const {
        const float* g = grid + point * dimensions;
        return {dimensions == 3 ? d.place(g[2]) : grid_place{0, 0}, h.place(g[1]), w.place(g[0])};
    }
    FADE_FN spatial_taps taps(const places& p) const { return {d.taps(p.d), h.taps(p.h), w.taps(p.w)}; }
    /// The number of an output within all images, as a tensor without channels has it.
    FADE_FN index point(const pixel_place& output) const {
        return points.offset({output.image / inner_images, output.at, 0});
    }
};

template <int Run, class Block, class T>
FADE_FN void grid_sample_body(Block& block, const grid_sample_arguments<T>& a) {
    each_item(block, a.y, [&](const pixel_place& y) FADE_LAMBDA {
        const auto places = a.place(a.forward.grid, a.point(y));
        vec<float, Run> sum{};
        a.taps(places).each([&](const spatial& at, float share) FADE_LAMBDA {
            const auto x = load_run<Run>(a.forward.x + a.x.offset({y.image, at, y.channel}));
            unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += share * x[e]; });
        });
        const auto& later = Block::reload_arguments(a);
        store_run<Run>(later.forward.y + later.y.offset(y), sum);
    });
}

/// Points may lie anywhere, and several on one pixel: one lane adds the points of its channels in f32 and in
/// their order, so that the gradient is the same each time.
template <int Run, class Block, class T>
FADE_FN void grid_sample_gradient_of_x(Block& block, const grid_sample_arguments<T>& a) {
    each_item(block, a.channels, [&](const pixel_place& c) FADE_LAMBDA {
        FADE_ROLLED
        for (int pixel = 0; pixel < a.pixels; ++pixel)
            store_run<Run>(a.sums + a.x.offset(c.image, pixel, c.channel), vec<float, Run>{});
        FADE_ROLLED
        for (int o = 0; o < a.outputs; ++o) {
            const auto& here = Block::reload_arguments(a);
            const index point = c.image / here.inner_images * here.outputs + o;
            const auto dy = load_run<Run>(here.backward.dy + here.y.offset(c.image, o, c.channel));
            here.taps(here.place(here.backward.grid, point))
                .each([&](const spatial& at, float share) FADE_LAMBDA {
                    float* to = here.sums + here.x.offset({c.image, at, c.channel});
                    auto sum = load_run<Run>(to);
                    unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += share * dy[e]; });
                    store_run<Run>(to, sum);
                });
        }
        if constexpr (!std::is_same_v<T, float>) {
            FADE_ROLLED
            for (int pixel = 0; pixel < a.pixels; ++pixel) {
                const index at = a.x.offset(c.image, pixel, c.channel);
                store_run<Run>(a.backward.dx + at, load_run<Run>(a.sums + at));
            }
        }
    });
}

/// A point's gradient is summed over all channels.
template <class Block, class T>
FADE_FN void grid_sample_gradient_of_grid(Block& block, const grid_sample_arguments<T>& a) {
    each_item(block, a.points, [&](const pixel_place& p) FADE_LAMBDA {
        const index point = a.points.offset(p);
        const auto places = a.place(a.backward.grid, point);
        const spatial_taps taps = a.taps(places);
        const axis_taps slope_d = a.d.slopes(places.d), slope_h = a.h.slopes(places.h),
                        slope_w = a.w.slopes(places.w);
        float of_d = 0, of_h = 0, of_w = 0;
        FADE_ROLLED
        for (int c = 0; c < a.all_channels; ++c) {
            const auto& here = Block::reload_arguments(a);
            const index image = p.image * here.inner_images + (here.inner_images > 1 ? c : 0);
            const int channel = here.inner_images > 1 ? 0 : c;
            const float dy = convert<float>(here.backward.dy[here.y.offset({image, p.at, channel})]);
            const auto along = [&](const spatial_taps& by) FADE_LAMBDA {
                float sum = 0;
                by.each([&](const spatial& at, float share) FADE_LAMBDA {
                    sum += share * convert<float>(here.backward.x[here.x.offset({image, at, channel})]);
                });
                return sum * dy;
            };
            if (here.dimensions == 3) of_d += along({slope_d, taps.h, taps.w});
            of_h += along({taps.d, slope_h, taps.w}), of_w += along({taps.d, taps.h, slope_w});
        }
        const auto& later = Block::reload_arguments(a);
        float* to = later.backward.dgrid + point * later.dimensions;
        to[0] = of_w, to[1] = of_h;
        if (later.dimensions == 3) to[2] = of_d;
    });
}

}  // namespace FADE_NAMESPACE::kernel
