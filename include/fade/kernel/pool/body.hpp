// Pooling and its gradients: each item makes a run of channels of one pixel, from all that it sees.
#pragma once
#include <fade/core/number/below_all.hpp>
#include <fade/kernel/image/run.hpp>
#include <fade/kernel/pool/window.hpp>

namespace FADE_NAMESPACE::kernel {

/// Of any pooling; indices are those of a maximum. Kernels read them again where they need them late, so that
/// they wait in no register.
template <class T>
struct pool_arguments {
    const T* from;
    T* to;
    const int* indices;  ///< that are read
    int* places;         ///< that are written
    pool_windows windows;
};

/// Of equal elements the first is taken, and the first NaN before all numbers.
template <int Run, class Block, class T>
FADE_FN void max_pool_body(Block& block, const pool_arguments<T>& a) {
    const pool_windows& s = a.windows;
    each_item(block, s.y, [&](const pixel_place& y) FADE_LAMBDA {
        vec<float, Run> largest;
        vec<int, Run> place;
        unrolled<Run>([&](int e) FADE_LAMBDA { largest[e] = -__builtin_huge_valf(), place[e] = -1; });
        s.each_pixel(y.at, [&](const spatial& at) FADE_LAMBDA {
            const int pixel = (at.d * s.h.input + at.h) * s.w.input + at.w;
            const auto x = load_run<Run>(a.from + s.x.offset(y.image, pixel, y.channel));
            unrolled<Run>([&](int e) FADE_LAMBDA {
                const bool larger =
                    x[e] > largest[e] || place[e] < 0 || (x[e] != x[e] && largest[e] == largest[e]);
                largest[e] = larger ? +x[e] : +largest[e], place[e] = larger ? pixel : +place[e];
            });
        });
        store_run<Run>(a.to + s.y.offset(y), largest);
        if (a.places) unrolled<Run>([&](int e) FADE_LAMBDA { a.places[s.y.offset(y) + e] = place[e]; });
    });
}

/// A pixel gets the gradients of the windows whose largest element it is.
template <int Run, class Block, class T>
FADE_FN void max_pool_gradient_body(Block& block, const pool_arguments<T>& a) {
    const pool_windows& s = a.windows;
    each_item(block, s.x, [&](const pixel_place& x) FADE_LAMBDA {
        const int pixel = (x.at.d * s.h.input + x.at.h) * s.w.input + x.at.w;
        vec<float, Run> sum{};
        s.each_window(x.at, [&](const spatial& at) FADE_LAMBDA {
            const auto& here = Block::reload_arguments(a);
            const index window = here.windows.y.offset({x.image, at, x.channel});
            const auto dy = load_run<Run>(here.from + window);
            unrolled<Run>([&](int e)
                              FADE_LAMBDA { sum[e] += here.indices[window + e] == pixel ? +dy[e] : 0.0f; });
        });
        const auto& later = Block::reload_arguments(a);
        store_run<Run>(later.to + later.windows.x.offset(x), sum);
    });
}

template <int Run, class Block, class T>
FADE_FN void avg_pool_body(Block& block, const pool_arguments<T>& a) {
    const pool_windows& s = a.windows;
    each_item(block, s.y, [&](const pixel_place& y) FADE_LAMBDA {
        vec<float, Run> sum{};
        s.each_pixel(y.at, [&](const spatial& at) FADE_LAMBDA {
            const auto x = load_run<Run>(a.from + s.x.offset({y.image, at, y.channel}));
            unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += x[e]; });
        });
        const pool_windows& later = Block::reload_arguments(a).windows;
        const float share = later.share(y.at);
        unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] *= share; });
        store_run<Run>(a.to + later.y.offset(y), sum);
    });
}

/// A pixel gets its share of the gradients of all windows that see it.
template <int Run, class Block, class T>
FADE_FN void avg_pool_gradient_body(Block& block, const pool_arguments<T>& a) {
    each_item(block, a.windows.x, [&](const pixel_place& x) FADE_LAMBDA {
        vec<float, Run> sum{};
        Block::reload_arguments(a).windows.each_window(x.at, [&](const spatial& at) FADE_LAMBDA {
            const pool_windows& here = Block::reload_arguments(a).windows;
            const auto dy = load_run<Run>(a.from + here.y.offset({x.image, at, x.channel}));
            const float share = here.share(at);
            unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += dy[e] * share; });
        });
        store_run<Run>(a.to + Block::reload_arguments(a).windows.x.offset(x), sum);
    });
}

}  // namespace FADE_NAMESPACE::kernel
