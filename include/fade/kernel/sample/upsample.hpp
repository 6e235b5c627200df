// Resampling on a regular grid, and its gradient: each item makes a run of channels of one pixel.
#pragma once
#include <fade/kernel/image/run.hpp>
#include <fade/kernel/sample/axis.hpp>

namespace FADE_NAMESPACE::kernel {

template <class T>
struct upsample_arguments {
    const T* from;
    T* to;
    upsample_axis d, h, w;
    pixel_items x, y;
};

template <int Run, class Block, class T>
FADE_FN void upsample_body(Block& block, const upsample_arguments<T>& a) {
    each_item(block, a.y, [&](const pixel_place& y) FADE_LAMBDA {
        const spatial_taps taps{a.d.taps(y.at.d), a.h.taps(y.at.h), a.w.taps(y.at.w)};
        vec<float, Run> sum{};
        taps.each([&](const spatial& at, float share) FADE_LAMBDA {
            const auto x = load_run<Run>(a.from + a.x.offset({y.image, at, y.channel}));
            unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += share * x[e]; });
        });
        store_run<Run>(a.to + a.y.offset(y), sum);
    });
}

/// A pixel gets its share of the gradients of all outputs that see it, in their order.
template <int Run, class Block, class T>
FADE_FN void upsample_gradient_body(Block& block, const upsample_arguments<T>& a) {
    each_item(block, a.x, [&](const pixel_place& x) FADE_LAMBDA {
        vec<float, Run> sum{};
        FADE_ROLLED
        for (int i = a.d.first_output(x.at.d); i <= a.d.last_output(x.at.d); ++i) FADE_ROLLED
        for (int j = a.h.first_output(x.at.h); j <= a.h.last_output(x.at.h); ++j) {
            const float line = a.d.taps(i).share(x.at.d) * a.h.taps(j).share(x.at.h);
            if (line == 0) continue;
            FADE_ROLLED
            for (int k = a.w.first_output(x.at.w); k <= a.w.last_output(x.at.w); ++k) {
                const float share = line * a.w.taps(k).share(x.at.w);
                if (share == 0) continue;
                const auto& here = Block::reload_arguments(a);
                const auto dy = load_run<Run>(here.from + here.y.offset({x.image, {i, j, k}, x.channel}));
                unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += share * dy[e]; });
            }
        }
        const auto& later = Block::reload_arguments(a);
        store_run<Run>(later.to + later.x.offset(x), sum);
    });
}

}  // namespace FADE_NAMESPACE::kernel
