// Runs upsampling and sampling at points, and their gradients, and says what is wrong with them: against
// loops in double precision.
#pragma once
#include "common/image_case.hpp"
#include <fade/grid_sample.hpp>
#include <fade/upsample.hpp>

namespace fade::test {

struct sample_case {
    upsample_problem up;
    grid_sample_problem grid;
    int shift = 0;
    double reach = 1;  // of the grid's coordinates
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const sample_case& c) {
    const auto size = [&](const spatial& s) { to << ' ' << s.d << 'x' << s.h << 'x' << s.w; };
    to << "batch " << c.up.batch << " channels " << c.up.channels;
    size(c.up.input), size(c.up.output);
    to << ' ' << name(c.up.mode) << (c.up.align_corners ? " aligned" : "") << "; grid of "
       << c.grid.dimensions << ", " << name(c.grid.mode) << ' ' << name(c.grid.padding)
       << (c.grid.align_corners ? " aligned" : "");
    size(c.grid.input), size(c.grid.output);
    return to << (c.up.layout == conv_layout::channels_first ? " channels first" : "") << " shift " << c.shift
              << " reach " << c.reach << " seed " << c.seed;
}

inline sample_case random_sample_case(std::mt19937_64& random) {
    image_draw draw{random};
    random();
    sample_case c;
    const int channels = draw.coin() ? 8 * draw.of(1, 2) : draw.of(1, 5), batch = draw.of(1, 3);
    const auto layout = draw.coin() ? conv_layout::channels_first : conv_layout::channels_last;
    const auto size = [&](bool deep, int least) {
        return spatial{deep ? draw.of(least, 5) : 1, draw.of(least, 9), draw.of(least, 9)};
    };
    const bool deep = draw.of(0, 3) == 0;
    c.up = {.batch = batch,
            .channels = channels,
            .input = size(deep, 1),
            .output = size(deep, 1),
            .mode = upsample_mode(draw.of(0, 2)),
            .layout = layout};
    c.up.align_corners = c.up.mode == upsample_mode::linear && draw.coin();
    const bool solid = draw.coin();
    c.grid = {.batch = batch,
              .channels = channels,
              .input = size(solid, 1),
              .output = size(solid, 1),
              .dimensions = solid ? 3 : 2,
              .mode = grid_mode(draw.of(0, 1)),
              .padding = grid_padding(draw.of(0, 2)),
              .align_corners = draw.coin(),
              .layout = layout};
    c.shift = draw.of(0, 3) ? 0 : 1, c.reach = draw.coin() ? 1.2 : 4, c.seed = draw.random();
    return c;
}

/// What an output takes of a pixel along one dimension, and how that follows the coordinate.
struct true_taps {
    int pixel[2] = {0, 0};
    double share[2] = {1, 0}, slope[2] = {0, 0};
};

/// By the definition of each mode: a position, its two neighbours, the distance between.
inline true_taps up_taps(const upsample_problem& p, int in, int out, int o) {
    if (p.mode != upsample_mode::linear) {
        const double at = (o + (p.mode == upsample_mode::nearest_exact ? 0.5 : 0)) * in / out;
        return {{int(std::floor(at + 1e-9)), 0}};
    }
    double at =
        p.align_corners ? (out > 1 ? double(o) * (in - 1) / (out - 1) : 0) : (o + 0.5) * in / out - 0.5;
    at = std::max(at, 0.0);
    const int below = std::min(int(at), in - 1);
    return {{below, std::min(below + 1, in - 1)}, {1 - std::min(at - below, 1.0), std::min(at - below, 1.0)}};
}
inline true_taps grid_taps(const grid_sample_problem& p, int size, double g) {
    double slope = (p.align_corners ? size - 1 : size) / 2.0;
    double at = p.align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    if (p.padding != grid_padding::reflection) at = std::clamp(at, -1e6, 1e6);
    if (p.padding == grid_padding::reflection) {
        const double low = p.align_corners ? 0 : -0.5, high = p.align_corners ? size - 1 : size - 0.5;
        if (high <= low) at = 0, slope = 0;
        while (high > low && (at < low || at > high))
            at = (at < low ? 2 * low : 2 * high) - at, slope = -slope;
    }
    if (p.padding != grid_padding::zeros) {
        if (at <= 0 || at >= size - 1) slope = 0;
        at = std::clamp(at, 0.0, double(size - 1));
    }
    if (p.mode == grid_mode::nearest) return {{int(std::nearbyint(at)), -1}};
    const int below = int(std::floor(at));
    return {{below, below + 1}, {1 - (at - below), at - below}, {-slope, slope}};
}
/// Within `margin` of where the choice of a pixel, or a slope, jumps: f32 may be on the other side.
inline bool jumps(const grid_sample_problem& p, int size, double g, double margin) {
    const double at = p.align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    const bool fixed = p.align_corners && size == 1;
    return !fixed && std::fabs(2 * at - std::nearbyint(2 * at)) < margin;
}

template <class Arch, class T>
class sample_trial {
public:
    explicit sample_trial(const sample_case& c) : c_(c), random_(c.seed) {}

    std::string run() {
        try {
            return upsampling() + sampling();
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
    }

private:
    static std::size_t count(const auto& p, const spatial& size) {
        return std::size_t(p.batch * p.channels * size.volume());
    }
    /// f(pixel, share) for what an output takes of an image.
    template <class F>
    static void each_tap(const std::array<true_taps, 3>& t, const spatial& size, F f) {
        for (int i = 0; i < 8; ++i) {
            const int a = i >> 2, b = i >> 1 & 1, c = i & 1;
            const std::array<int, 3> at{t[0].pixel[a], t[1].pixel[b], t[2].pixel[c]};
            if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= size.d || at[1] >= size.h || at[2] >= size.w)
                continue;
            f(at, t[0].share[a] * t[1].share[b] * t[2].share[c], i);
        }
    }

    std::string upsampling() {
        const upsample_problem& p = c_.up;
        guarded<T> x(count(p, p.input), c_.shift), y(count(p, p.output), c_.shift), dx(x.size(), c_.shift);
        x.fill(random_, 1);
        auto device = device_of<Arch>(2, 64);
        upsample<T>(device, p, x.data(), y.data());
        upsample_gradient<T>(device, p, y.data(), dx.data());
        std::vector<bounded> wanted(y.size()), slopes(x.size());
        each_element(p.batch, p.channels, p.output, [&](index n, int c, const std::array<int, 3>& o) {
            const std::size_t at_y = image_at(p.layout, p.channels, p.output, n, c, o);
            const std::array taps{up_taps(p, p.input.d, p.output.d, o[0]),
                                  up_taps(p, p.input.h, p.output.h, o[1]),
                                  up_taps(p, p.input.w, p.output.w, o[2])};
            each_tap(taps, p.input, [&](const std::array<int, 3>& at, double share, int) {
                const std::size_t at_x = image_at(p.layout, p.channels, p.input, n, c, at);
                const double v = value_of(x[at_x]), g = value_of(y[at_y]);
                add(wanted[at_y], share * v, std::fabs(v)), add(slopes[at_x], share * g, std::fabs(g));
            });
        });
        return image_difference("upsample", y, wanted) + image_difference("upsample_gradient", dx, slopes);
    }
    /// Positions in f32 are off by some units of the sizes.
    static void add(bounded& to, double term, double size) { to = {to.value + term, to.error + 4e-6 * size}; }

    std::string sampling() {
        const grid_sample_problem& p = c_.grid;
        guarded<T> x(count(p, p.input), c_.shift), dy(count(p, p.output), c_.shift), y(dy.size(), c_.shift),
            dx(x.size(), c_.shift);
        x.fill(random_, 1), dy.fill(random_, 1);
        const std::size_t points = std::size_t(p.batch * p.output.volume()), d = std::size_t(p.dimensions);
        std::vector<float> grid(points * d), dgrid(points * d, 7);
        std::uniform_real_distribution<float> anywhere(-float(c_.reach), float(c_.reach));
        for (std::size_t i = 0; i < grid.size(); ++i) do
                grid[i] = anywhere(random_);
            while (jumps(p, size_of(int(i % d)), grid[i], 1e-4));
        if (p.padding != grid_padding::reflection)
            for (std::size_t i = 0; i < grid.size(); i += 13) grid[i] = i & 1 ? 1e30f : -1e30f;
        auto device = device_of<Arch>(2, 64);
        grid_sample<T>(device, p, {x.data(), grid.data(), y.data()});
        grid_sample_gradient<T>(device, p, {x.data(), grid.data(), dy.data(), dx.data(), dgrid.data()});
        std::vector<bounded> wanted(y.size()), slopes(x.size());
        std::vector<double> of_grid(grid.size()), size(grid.size());
        each_element(p.batch, p.channels, p.output, [&](index n, int c, const std::array<int, 3>& o) {
            const std::size_t at_y = image_at(p.layout, p.channels, p.output, n, c, o),
                              point = image_at(conv_layout::channels_last, 1, p.output, n, 0, o) * d;
            std::array<true_taps, 3> taps;
            for (int axis = 0; axis < p.dimensions; ++axis)
                taps[std::size_t(2 - axis)] = grid_taps(p, size_of(axis), grid[point + std::size_t(axis)]);
            each_tap(taps, p.input, [&](const std::array<int, 3>& at, double share, int corner) {
                const std::size_t at_x = image_at(p.layout, p.channels, p.input, n, c, at);
                const double v = value_of(x[at_x]), g = value_of(dy[at_y]);
                add(wanted[at_y], share * v, std::fabs(v)), add(slopes[at_x], share * g, std::fabs(g));
                for (std::size_t axis = 0; axis < d; ++axis) {
                    double term = v * g;
                    for (std::size_t other = 0; other < 3; ++other) {
                        const int end = corner >> (2 - other) & 1;
                        term *= other == 2 - axis ? taps[other].slope[end] : taps[other].share[end];
                    }
                    of_grid[point + axis] += term,
                        size[point + axis] += std::fabs(v * g) * size_of(int(axis));
                }
            });
        });
        std::string wrong = image_difference("grid_sample", y, wanted) + image_difference("dx", dx, slopes);
        for (std::size_t i = 0; i < grid.size(); ++i)
            if (!(std::fabs(dgrid[i] - of_grid[i]) <= 1e-5 * (size[i] + 1e-6)))
                return wrong + "dgrid is wrong; ";
        return wrong;
    }
    int size_of(int axis) const {
        const spatial& s = c_.grid.input;
        return axis == 0 ? s.w : axis == 1 ? s.h : s.d;
    }

    sample_case c_;
    std::mt19937_64 random_;
};

}  // namespace fade::test
