// Operators over images, captured as launches on an architecture would be: channels last in whole runs, and
// planes.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include "launched.hpp"
#include <algorithm>
#include <cmath>
#include <fade/batch_norm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/pool.hpp>
#include <fade/upsample.hpp>
#include <random>

namespace fade::replay {

/// Images of two dimensions, as the layout says.
template <class T>
struct images {
    index batch;
    int channels, h, w;
    conv_layout layout = conv_layout::channels_last;
    std::vector<T> all = std::vector<T>(std::size_t(batch * channels * h * w));

    std::size_t at(index n, int y, int x, int c) const {
        const index pixels = index(h) * w, pixel = index(y) * w + x;
        return std::size_t(layout == conv_layout::channels_last ? (n * pixels + pixel) * channels + c
                                                                : (n * channels + c) * pixels + pixel);
    }
    double get(index n, int y, int x, int c) const { return test::value_of(all[at(n, y, x, c)]); }
    template <class F>
    void each(F f) const {
        for (index n = 0; n < batch; ++n)
            for (int y = 0; y < h; ++y)
                for (int x = 0; x < w; ++x)
                    for (int c = 0; c < channels; ++c) f(n, y, x, c);
    }
    void fill(std::mt19937_64& random) {
        std::normal_distribution<double> normal;
        for (T& v : all) v = test::nearest<T>(normal(random));
    }
    /// f(image, y, x, channel) of all elements.
    template <class F>
    void expect(capture& to, const char* name, double bound, F f) const {
        std::vector<double> values(all.size());
        each([&](index n, int y, int x, int c) { values[at(n, y, x, c)] = f(n, y, x, c); });
        to.expect(name, fade::name(dtype_v<T>), values, bound);
    }
};

/// Writes what `call` would launch, which is given options that plan.
template <class Call>
void capture_call(capture& out, capture_target target, Call call) {
    operation_plan plan;
    call(target, operation_options{.plan = &plan});
    for (const auto& l : plan.launches) out.launch(target.row(), l);
}

/// Largest elements of windows that overlap, and the gradient by the pixels that they were found at.
inline void capture_max_pool(capture_target target, const fs::path& folder, std::mt19937_64& random) {
    const int h = 7 + int(random() % 4), w = 6;
    const pool_problem p{.batch = 2,
                         .channels = 16,
                         .input = {1, h, w},
                         .window = {1, 3, 3},
                         .stride = {1, 2, 2},
                         .pad = {0, 1, 1}};
    const spatial size = p.output();
    images<f16> x{2, 16, h, w}, dx = x, y{2, 16, size.h, size.w}, dy = y;
    x.fill(random), dy.fill(random);
    std::vector<int> indices(y.all.size());
    std::vector<double> gradient(x.all.size()), largest(y.all.size());
    y.each([&](index n, int v, int u, int c) {
        double most = -INFINITY;
        std::size_t place = 0;
        for (int t = 0; t < 9; ++t) {
            const int i = 2 * v - 1 + t / 3, j = 2 * u - 1 + t % 3;
            if (i < 0 || j < 0 || i >= h || j >= w || x.get(n, i, j, c) <= most) continue;
            most = x.get(n, i, j, c), place = x.at(n, i, j, c);
        }
        largest[y.at(n, v, u, c)] = most, gradient[place] += dy.get(n, v, u, c);
    });
    capture out(folder);
    keep(out, "x", x.all, "in"), keep(out, "y", y.all, "inout"), keep(out, "indices", indices, "inout");
    keep(out, "dy", dy.all, "in"), keep(out, "dx", dx.all, "inout");
    capture_call(out, target, [&](auto& on, const operation_options& o) {
        max_pool<f16>(on, p, {.x = x.all.data(), .y = y.all.data(), .indices = indices.data()}, o);
        max_pool_gradient<f16>(on, p, {.dy = dy.all.data(), .indices = indices.data(), .dx = dx.all.data()},
                               o);
    });
    out.expect("y", "f16", largest, 0), out.expect("dx", "f16", gradient, 0x1p-10);
    out.close();
}

/// Means of windows that reach over the edges, and the gradient.
inline void capture_avg_pool(capture_target target, const fs::path& folder, std::mt19937_64& random) {
    const int h = 7 + int(random() % 4), w = 6;
    const pool_problem p{.batch = 2,
                         .channels = 16,
                         .input = {1, h, w},
                         .window = {1, 3, 2},
                         .stride = {1, 2, 1},
                         .pad = {0, 1, 1},
                         .count_include_pad = false};
    const spatial size = p.output();
    images<f16> x{2, 16, h, w}, dx = x, y{2, 16, size.h, size.w}, dy = y;
    x.fill(random), dy.fill(random);
    std::vector<double> means(y.all.size()), gradient(x.all.size());
    y.each([&](index n, int v, int u, int c) {
        std::vector<std::size_t> seen;
        for (int i = 2 * v - 1; i < 2 * v + 2; ++i)
            for (int j = u - 1; j < u + 1; ++j)
                if (i >= 0 && j >= 0 && i < h && j < w) seen.push_back(x.at(n, i, j, c));
        for (const std::size_t at : seen) {
            means[y.at(n, v, u, c)] += test::value_of(x.all[at]) / double(seen.size());
            gradient[at] += dy.get(n, v, u, c) / double(seen.size());
        }
    });
    capture out(folder);
    keep(out, "x", x.all, "in"), keep(out, "y", y.all, "inout"), keep(out, "dy", dy.all, "in");
    keep(out, "dx", dx.all, "inout");
    capture_call(out, target, [&](auto& on, const operation_options& o) {
        avg_pool<f16>(on, p, {.x = x.all.data(), .y = y.all.data()}, o);
        avg_pool_gradient<f16>(on, p, {.dy = dy.all.data(), .dx = dx.all.data()}, o);
    });
    out.expect("y", "f16", means, 0x1p-10), out.expect("dx", "f16", gradient, 0x1p-10);
    out.close();
}

/// Twice as many pixels each way, between neighbours, and the gradient.
inline void capture_upsample(capture_target target, const fs::path& folder, std::mt19937_64& random) {
    const int h = 4 + int(random() % 3), w = 5;
    images<f16> x{2, 16, h, w}, dx = x, y{2, 16, 2 * h, 2 * w}, dy = y;
    x.fill(random), dy.fill(random);
    const upsample_problem p{.batch = 2,
                             .channels = 16,
                             .input = {1, h, w},
                             .output = {1, 2 * h, 2 * w},
                             .mode = upsample_mode::linear};
    std::vector<double> values(y.all.size()), gradient(x.all.size());
    y.each([&](index n, int v, int u, int c) {
        const double at_h = std::max(v / 2.0 - 0.25, 0.0), at_w = std::max(u / 2.0 - 0.25, 0.0);
        for (int t = 0; t < 4; ++t) {
            const int i = int(at_h) + t / 2, j = int(at_w) + t % 2;
            const std::size_t at = x.at(n, std::min(i, h - 1), std::min(j, w - 1), c);
            const double share = (1 - std::fabs(at_h - i)) * (1 - std::fabs(at_w - j));
            values[y.at(n, v, u, c)] += share * test::value_of(x.all[at]);
            gradient[at] += share * dy.get(n, v, u, c);
        }
    });
    capture out(folder);
    keep(out, "x", x.all, "in"), keep(out, "y", y.all, "inout"), keep(out, "dy", dy.all, "in");
    keep(out, "dx", dx.all, "inout");
    capture_call(out, target, [&](auto& on, const operation_options& o) {
        upsample<f16>(on, p, x.all.data(), y.all.data(), o);
        upsample_gradient<f16>(on, p, dy.all.data(), dx.all.data(), o);
    });
    out.expect("y", "f16", values, 0x1p-10), out.expect("dx", "f16", gradient, 0x1p-10);
    out.close();
}

/// Points in and around planes, zeros outside, and both gradients. None lies where a slope jumps.
inline void capture_grid_sample(capture_target target, const fs::path& folder, std::mt19937_64& random) {
    constexpr auto planes = conv_layout::channels_first;
    const int h = 5, w = 6 + int(random() % 3);
    images<float> x{2, 3, h, w, planes}, dx = x, y{2, 3, 9, 11, planes}, dy = y;
    x.fill(random), dy.fill(random);
    std::uniform_real_distribution<double> place(-0.15, 1.15), part(0.02, 0.98);
    std::vector<float> grid(2 * 9 * 11 * 2), dgrid = grid;
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const int size = i % 2 ? h : w;
        grid[i] = float((2 * (std::floor(place(random) * size) + part(random)) + 1) / size - 1);
    }
    const grid_sample_problem p{
        .batch = 2, .channels = 3, .input = {1, h, w}, .output = {1, 9, 11}, .layout = planes};
    std::vector<double> values(y.all.size()), of_x(x.all.size()), of_grid(grid.size());
    y.each([&](index n, int v, int u, int c) {
        const std::size_t point = std::size_t((n * 9 + v) * 11 + u) * 2;
        const double at_w = ((double(grid[point]) + 1) * w - 1) / 2,
                     at_h = ((double(grid[point + 1]) + 1) * h - 1) / 2, slope = dy.get(n, v, u, c);
        for (int t = 0; t < 4; ++t) {
            const int i = int(std::floor(at_h)) + t / 2, j = int(std::floor(at_w)) + t % 2;
            if (i < 0 || j < 0 || i >= h || j >= w) continue;
            const double of_h = 1 - std::fabs(at_h - i), of_w = 1 - std::fabs(at_w - j),
                         pixel = x.get(n, i, j, c);
            values[y.at(n, v, u, c)] += of_h * of_w * pixel, of_x[x.at(n, i, j, c)] += of_h * of_w * slope;
            of_grid[point] += slope * pixel * of_h * (t % 2 ? w : -w) / 2;
            of_grid[point + 1] += slope * pixel * of_w * (t / 2 ? h : -h) / 2;
        }
    });
    capture out(folder);
    keep(out, "x", x.all, "in"), keep(out, "grid", grid, "in"), keep(out, "y", y.all, "inout");
    keep(out, "dy", dy.all, "in"), keep(out, "dx", dx.all, "inout"), keep(out, "dgrid", dgrid, "inout");
    capture_call(out, target, [&](auto& on, const operation_options& o) {
        grid_sample<float>(on, p, {.x = x.all.data(), .grid = grid.data(), .y = y.all.data()}, o);
        grid_sample_gradient<float>(on, p,
                                    {.x = x.all.data(),
                                     .grid = grid.data(),
                                     .dy = dy.all.data(),
                                     .dx = dx.all.data(),
                                     .dgrid = dgrid.data()},
                                    o);
    });
    out.expect("y", "f32", values, 1e-5), out.expect("dx", "f32", of_x, 1e-5);
    out.expect("dgrid", "f32", of_grid, 1e-5);
    out.close();
}

/// Statistics of this batch, what they normalise, and the gradients by them.
inline void capture_batch_norm(capture_target target, const fs::path& folder, conv_layout layout,
                               std::mt19937_64& random) {
    const int h = 6 + int(random() % 5), w = 7, channels = 8;
    images<float> x{2, channels, h, w, layout}, y = x, dy = x, dx = x;
    x.fill(random), dy.fill(random);
    std::vector<float> mean(channels), root(channels), weight(channels), bias(channels), dweight(channels),
        dbias(channels);
    for (auto* of : {&weight, &bias})
        for (float& v : *of) v = std::normal_distribution<float>()(random);
    std::vector<double> middle(channels), spread(channels);
    const double count = 2.0 * h * w;
    x.each([&](index n, int i, int j, int c) { middle[std::size_t(c)] += x.get(n, i, j, c) / count; });
    x.each([&](index n, int i, int j, int c) {
        spread[std::size_t(c)] += std::pow(x.get(n, i, j, c) - middle[std::size_t(c)], 2) / count;
    });
    for (double& v : spread) v = 1 / std::sqrt(v + 1e-5);
    const auto normal = [&](index n, int i, int j, int c) {
        return (x.get(n, i, j, c) - middle[std::size_t(c)]) * spread[std::size_t(c)];
    };
    std::vector<double> of_weight(channels), of_bias(channels);
    x.each([&](index n, int i, int j, int c) {
        of_bias[std::size_t(c)] += dy.get(n, i, j, c),
            of_weight[std::size_t(c)] += dy.get(n, i, j, c) * normal(n, i, j, c);
    });
    capture out(folder);
    keep(out, "x", x.all, "in"), keep(out, "y", y.all, "inout"), keep(out, "weight", weight, "in");
    keep(out, "bias", bias, "in"), keep(out, "mean", mean, "inout"), keep(out, "root", root, "inout");
    keep(out, "dy", dy.all, "in"), keep(out, "dx", dx.all, "inout"), keep(out, "dweight", dweight, "inout");
    keep(out, "dbias", dbias, "inout");
    const batch_norm_problem p{.batch = 2, .channels = channels, .size = {1, h, w}, .layout = layout};
    capture_call(out, target, [&](auto& on, const operation_options& o) {
        batch_norm<float>(on, p,
                          {.x = x.all.data(),
                           .y = y.all.data(),
                           .weight = weight.data(),
                           .bias = bias.data(),
                           .mean = mean.data(),
                           .inverse_root = root.data()},
                          o);
        batch_norm_gradient<float>(on, p,
                                   {.x = x.all.data(),
                                    .dy = dy.all.data(),
                                    .weight = weight.data(),
                                    .mean = mean.data(),
                                    .inverse_root = root.data(),
                                    .dx = dx.all.data(),
                                    .dweight = dweight.data(),
                                    .dbias = dbias.data()},
                                   o);
    });
    out.expect("mean", "f32", middle, 1e-5), out.expect("root", "f32", spread, 1e-5);
    y.expect(out, "y", 1e-5, [&](index n, int i, int j, int c) {
        return normal(n, i, j, c) * double(weight[std::size_t(c)]) + double(bias[std::size_t(c)]);
    });
    out.expect("dweight", "f32", of_weight, 1e-5), out.expect("dbias", "f32", of_bias, 1e-5);
    dx.expect(out, "dx", 1e-5, [&](index n, int i, int j, int c) {
        const auto k = std::size_t(c);
        return spread[k] * double(weight[k]) *
               (dy.get(n, i, j, c) - of_bias[k] / count - normal(n, i, j, c) * of_weight[k] / count);
    });
    out.close();
}

inline void capture_images(capture_target target, const fs::path& at, std::mt19937_64& random) {
    capture_max_pool(target, at / "image-max-pool", random);
    capture_avg_pool(target, at / "image-avg-pool", random);
    capture_upsample(target, at / "image-upsample", random);
    capture_grid_sample(target, at / "image-grid-sample", random);
    capture_batch_norm(target, at / "image-batch-norm", conv_layout::channels_last, random);
    capture_batch_norm(target, at / "image-batch-norm-planes", conv_layout::channels_first, random);
}

}  // namespace fade::replay
