// One convolution to try, drawn at random, and what direct loops in double precision make of it.
#pragma once
#include "common/bounded.hpp"
#include <fade/kernel/conv/problem.hpp>
#include <ostream>
#include <random>
#include <vector>

namespace fade::test {

struct conv_case {
    conv_problem problem;
    int compute_units = 64, threads = 1, split_k = 0;
    conv_algorithm algorithm = conv_algorithm::automatic;
    bool least_workspace = false;  ///< is given no more than what it cannot do without
    int shift = 0;                 ///< elements from an aligned address
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const conv_case& c) {
    const conv_problem& p = c.problem;
    const auto sizes = [&](const char* name, const auto& s) {
        to << ' ' << name << ' ' << s.d << 'x' << s.h << 'x' << s.w;
    };
    to << "batch " << p.batch << " channels " << p.channels << " filters " << p.filters << " groups "
       << p.groups;
    sizes("input", p.input), sizes("filter", p.filter), sizes("stride", p.stride),
        sizes("dilation", p.dilation);
    sizes("pad", p.pad), sizes("pad_end", p.pad_end);
    return to << " alpha " << p.alpha << " beta " << p.beta
              << (p.layout == conv_layout::channels_first ? " channels first" : "") << " compute_units "
              << c.compute_units << " threads " << c.threads << " split_k " << c.split_k << " shift "
              << c.shift << " algorithm " << name(c.algorithm)
              << (c.least_workspace ? " in the least workspace" : "") << " seed " << c.seed;
}

/// Draws cases from one generator: one to three dimensions, all strides, dilations and pads up to 3, sizes
/// that reach each kernel.
class conv_draw {
public:
    explicit conv_draw(std::uint64_t seed) : random_(seed) {}

    conv_case operator()() {
        conv_case c;
        conv_problem& p = c.problem;
        p.batch = drawn(1, 3), p.groups = drawn(0, 3) ? 1 : drawn(1, 3);
        p.channels = p.groups * channels(), p.filters = p.groups * channels();
        if (drawn(0, 3) == 0) depthwise(p);
        p.pad_end = {0, 0, 0};
        const int dimensions = drawn(1, 3);
        dimension(p.input.w, p.filter.w, p.stride.w, p.dilation.w, p.pad.w, p.pad_end.w);
        if (dimensions > 1) dimension(p.input.h, p.filter.h, p.stride.h, p.dilation.h, p.pad.h, p.pad_end.h);
        if (dimensions > 2) dimension(p.input.d, p.filter.d, p.stride.d, p.dilation.d, p.pad.d, p.pad_end.d);
        if (drawn(0, 2) == 0) p.alpha = 0.5;
        if (drawn(0, 2) == 0) p.beta = -0.75;
        if (drawn(0, 3) == 0) p.layout = conv_layout::channels_first;
        c.compute_units = drawn(0, 1) ? 1 : 64, c.threads = drawn(1, 3), c.split_k = drawn(0, 3);
        c.shift = drawn(0, 7) ? 0 : 1, c.seed = random_();
        if (p.channels == p.groups && p.groups > 1 && drawn(0, 1))
            c.algorithm = drawn(0, 1) ? conv_algorithm::direct : conv_algorithm::implicit_gemm;
        return c;
    }

    /// Of many pixels, few channels and taps that all lie in one tile: backward weights turns the pages of
    /// its table. Last windows lie below their image.
    conv_case of_many_pixels() {
        conv_case c;
        c.problem = {.batch = 6,
                     .channels = 8,
                     .filters = 8,
                     .input = {1, 3, drawn(15, 25)},
                     .filter = {1, 2, 8},
                     .pad = {0, 0, drawn(0, 3)},
                     .pad_end = {0, 3, drawn(0, 3)}};
        c.compute_units = 1, c.split_k = drawn(0, 2), c.seed = random_();
        return c;
    }

    /// Images of one or two dimensions that Winograd's minimal filtering takes.
    conv_case of_3x3_taps(conv_algorithm algorithm) {
        conv_case c = (*this)();
        c.algorithm = algorithm;
        conv_problem& p = c.problem;
        p.filter = {1, 3, 3}, p.stride = p.dilation = {};
        p.pad = {0, drawn(0, 3), drawn(0, 3)}, p.pad_end = {0, drawn(0, 3), drawn(0, 3)};
        p.input = {1, drawn(3, 13), drawn(3, 13)};
        const auto few = [&] { return drawn(0, 1) ? 8 * drawn(1, 3) : drawn(1, 12); };
        p.channels = p.groups * few(), p.filters = p.groups * few();
        return c;
    }

    /// Large filters without strides, of one or two dimensions or, for emulation, of one short one.
    conv_case of_large_filters(bool short_lines) {
        conv_case c = (*this)();
        c.algorithm = conv_algorithm::fft;
        conv_problem& p = c.problem;
        p.filter = p.stride = p.dilation = p.input = {}, p.pad = p.pad_end = {};
        const auto dimension = [&](int& input, int& filter, int& dilation, int& pad, int& pad_end) {
            filter = drawn(1, short_lines ? 5 : 10), dilation = drawn(0, 2) ? 1 : drawn(2, 3);
            const int reach = (filter - 1) * dilation + 1;
            pad = drawn(0, reach), pad_end = drawn(0, reach);
            input = drawn(std::max(1, reach - pad - pad_end), reach + (short_lines ? 9 : 25));
        };
        dimension(p.input.w, p.filter.w, p.dilation.w, p.pad.w, p.pad_end.w);
        if (!short_lines && drawn(0, 2) > 0)
            dimension(p.input.h, p.filter.h, p.dilation.h, p.pad.h, p.pad_end.h);
        const auto few = [&] { return drawn(0, 1) ? 8 : drawn(1, 9); };
        p.groups = std::min(p.groups, short_lines ? 2 : 3);
        p.channels = p.groups * few(), p.filters = p.groups * few();
        return c;
    }

    /// The same of three dimensions and few channels, in half of the cases without one of them.
    conv_case of_deep_filters() {
        conv_case c = of_large_filters(true);
        conv_problem& p = c.problem;
        const auto dimension = [&](int& input, int& filter, int& dilation, int& pad, int& pad_end) {
            filter = drawn(1, 4), dilation = drawn(1, 2), pad = drawn(0, 2), pad_end = drawn(0, 2);
            input = (filter - 1) * dilation + drawn(1, 12);
        };
        dimension(p.input.d, p.filter.d, p.dilation.d, p.pad.d, p.pad_end.d);
        if (drawn(0, 1)) dimension(p.input.h, p.filter.h, p.dilation.h, p.pad.h, p.pad_end.h);
        p.batch = 1, p.groups = drawn(1, 2);
        p.channels = p.groups * drawn(1, 4), p.filters = p.groups * drawn(1, 4);
        return c;
    }

private:
    int drawn(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
    int channels() {
        switch (drawn(0, 4)) {
        case 0:
            return drawn(1, 20);
        case 1:
            return 64;
        case 2:
            return 8 * drawn(1, 20);
        default:
            return 8 * drawn(1, 5);
        }
    }
    /// As many groups as channels, some with several filters each.
    void depthwise(conv_problem& p) {
        p.groups = p.channels = drawn(0, 2) ? 8 * drawn(1, 5) : drawn(2, 20);
        p.filters = p.channels * (drawn(0, 2) ? 1 : drawn(2, 3));
    }
    void dimension(int& input, int& filter, int& stride, int& dilation, int& pad, int& pad_end) {
        filter = drawn(1, 4), stride = drawn(0, 1) ? 1 : drawn(1, 3),
        dilation = drawn(0, 1) ? 1 : drawn(1, 3);
        pad = drawn(0, 3), pad_end = drawn(0, 3);
        const int reach = (filter - 1) * dilation + 1;
        input = drawn(std::max(1, reach - pad - pad_end), reach + 6);
    }

    std::mt19937_64 random_;
};

/// Where elements of packed tensors lie.
struct conv_places {
    const conv_problem& p;
    spatial out = p.output();

    std::size_t x(index n, int d, int h, int w, int c) const {
        return at(n, p.input.volume(), (index(d) * p.input.h + h) * p.input.w + w, p.channels, c);
    }
    std::size_t y(index n, int d, int h, int w, int f) const {
        return at(n, out.volume(), (index(d) * out.h + h) * out.w + w, p.filters, f);
    }
    std::size_t w(int f, int d, int h, int w, int c) const {
        return at(f, p.filter.volume(), (index(d) * p.filter.h + h) * p.filter.w + w, p.channels / p.groups,
                  c);
    }
    /// Which column of an epilogue an element of x or y is.
    int channel(std::size_t i, index pixels, int channels) const {
        return int(first() ? i / std::size_t(pixels) % std::size_t(channels) : i % std::size_t(channels));
    }
    /// And which row.
    index pixel(std::size_t i, index pixels, int channels) const {
        const index at = index(i), image = at / (pixels * channels);
        return image * pixels + (first() ? at % pixels : at / channels % pixels);
    }
    /// Of the filter columns are taps, and the channels of each, and rows are filters.
    int tap_channel(std::size_t i) const {
        const int channels = p.channels / p.groups, taps = int(p.filter.volume());
        const int in_filter = int(i % (std::size_t(taps) * std::size_t(channels)));
        return first() ? in_filter % taps * channels + in_filter / taps : in_filter;
    }
    index filter(std::size_t i) const { return index(i) / (p.filter.volume() * (p.channels / p.groups)); }

    /// Calls f(element of x, of the filter, of y) for each product of the sums.
    template <class F>
    void each_product(F f) const {
        const int in_group = p.channels / p.groups, out_group = p.filters / p.groups;
        const std::size_t next_x = first() ? std::size_t(p.input.volume()) : 1,  // from channel to channel
            next_w = first() ? std::size_t(p.filter.volume()) : 1;
        for (index n = 0; n < p.batch; ++n)
            each(out, [&](int od, int oh, int ow) {
                each(p.filter, [&](int d, int h, int v) {
                    const int at_d = od * p.stride.d - p.pad.d + d * p.dilation.d,
                              at_h = oh * p.stride.h - p.pad.h + h * p.dilation.h,
                              at_w = ow * p.stride.w - p.pad.w + v * p.dilation.w;
                    if (at_d < 0 || at_h < 0 || at_w < 0 || at_d >= p.input.d || at_h >= p.input.h ||
                        at_w >= p.input.w)
                        return;
                    for (int k = 0; k < p.filters; ++k) {
                        const std::size_t of_x = x(n, at_d, at_h, at_w, k / out_group * in_group),
                                          of_w = w(k, d, h, v, 0), of_y = y(n, od, oh, ow, k);
                        for (std::size_t c = 0; c < std::size_t(in_group); ++c)
                            f(of_x + c * next_x, of_w + c * next_w, of_y);
                    }
                });
            });
    }

private:
    bool first() const { return p.layout == conv_layout::channels_first; }
    std::size_t at(index image, index pixels, index pixel, int channels, int c) const {
        const index in_image = first() ? c * pixels + pixel : pixel * channels + c;
        return std::size_t(image * pixels * channels + in_image);
    }
    template <class F>
    static void each(const spatial& s, F f) {
        for (int d = 0; d < s.d; ++d)
            for (int h = 0; h < s.h; ++h)
                for (int w = 0; w < s.w; ++w) f(d, h, w);
    }
};

/// A sum in double precision, and what any order of its products may be off in the accumulator's type.
struct conv_sum {
    double value = 0, magnitude = 0;
    index count = 0;
    void add(double product) { value += product, magnitude += std::fabs(product), ++count; }
    bounded with(double unit) const { return {value, double(count + 1) * unit * magnitude, unit}; }
};

}  // namespace fade::test
