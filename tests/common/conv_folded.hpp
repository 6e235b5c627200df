// Few channels, whose taps become channels of a copy.
#pragma once
#include "common/conv_suite.hpp"
#include <cmath>
#include <limits>

namespace fade::test {

inline conv_case drawn_folded_case(std::mt19937_64& random, int i) {
    const auto drawn = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    const auto axis = [&](int size) { return spatial{1, size, drawn(18, 24)}; };
    conv_case c;
    conv_problem& p = c.problem;
    p.batch = drawn(1, 2), p.groups = drawn(1, 4);
    p.channels = p.groups * drawn(2, 7), p.filters = p.groups * drawn(2, 7);
    p.input = axis(drawn(16, 20)), p.filter = {1, drawn(3, 5), drawn(4, 5)};
    p.stride = {1, drawn(1, 2), drawn(1, 2)}, p.dilation = {1, drawn(1, 2), drawn(1, 3)};
    p.pad = {0, drawn(0, 3), drawn(0, 3)}, p.pad_end = {0, drawn(0, 3), drawn(0, 3)};
    if (i % 3 == 1) p.input.d = 5, p.filter.d = 2, p.stride.d = drawn(1, 2), p.pad.d = 1, p.input.h = 6;
    if (i % 4 == 2) p.groups = p.filters = 1, p.stride = {}, p.filter.h = p.filter.w = 5;
    // Strided, along w, and along h and w: of each one that the others' draw leaves as it is.
    if (i == 0 || i == 3 || i == 5) {
        p.groups = i == 3 ? 8 : 4, p.channels = p.filters = p.groups * (i == 3 ? 3 : 2);
        p.input = {1, 20, 24}, p.dilation = {}, p.stride = i == 0 ? spatial{1, 2, 2} : spatial{};
        p.filter = i == 0 ? spatial{1, 5, 5} : i == 3 ? spatial{1, 1, 5} : spatial{1, 5, 2};
    }
    p.filter.h = std::min(p.filter.h, 1 + (p.input.h - 1) / p.dilation.h);
    if (drawn(0, 1)) p.layout = conv_layout::channels_first;
    if (i % 2) p.beta = 0.5, p.alpha = -1;
    c.compute_units = 1, c.split_k = drawn(0, 2), c.seed = random();
    c.least_workspace = i % 5 == 4;
    return c;
}

template <class Arch, class T>
void check_folded(int cases) {
    std::mt19937_64 random(conv_seed());
    reached_kernels reached;
    int lines = 0, planes = 0, strided = 0;
    for (int i = 0; i < cases; ++i) {
        const conv_case c = drawn_folded_case(random, i);
        INFO(c);
        auto device = conv_device_of<Arch, conv_algorithms{}>(1, c.compute_units);
        const auto at = [](int bit) { return reinterpret_cast<T*>(std::uintptr_t(1) << bit); };
        const conv_options options{.split_k = c.split_k};
        const std::string forward = plan_conv_forward<T>(device, c.problem,
                                                         {.x = at(30), .w = at(34), .c = at(36), .y = at(38)},
                                                         {}, options)
                                        .report.why,
                          data = plan_conv_backward_data<T>(
                                     device, c.problem,
                                     {.dy = at(30), .w = at(34), .c = at(36), .dx = at(38)}, {}, options)
                                     .report.why;
        const auto has = [](const std::string& why, const char* words) {
            return int(why.find(words) != std::string::npos);
        };
        const int folds = has(data, "a copy has the taps along");
        strided += folds && c.problem.stride.volume() > 1;
        for (const std::string& why : {forward, data})
            lines += has(why, "taps along w as"), planes += has(why, "taps along h and w as");
        CHECK(conv_trial<Arch, T, T>(c, reached).run() == "");
    }
    INFO(lines << " by lines, " << planes << " by planes, " << strided << " with strides");
    CHECK(lines > 0);
    CHECK(planes > 0);
    CHECK(strided > 0);
}

/// An infinity of dy: automatic says that zeros meet it, and implicit_gemm that is asked for leaves alone
/// what does not see it. Sizes are such as automatic folds, and as it puts beside each other.
template <class Arch, class T>
void check_zeros_of_strides() {
    std::mt19937_64 random(conv_seed());
    const auto at_random = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    for (const int groups : {4, 1}) {
        const int filters = groups == 1 ? 32 : 8, channels = groups == 1 ? 4 : 8;
        const conv_problem p{.channels = channels,
                             .filters = filters,
                             .input = {1, 20, 24},
                             .filter = {1, 5, 5},
                             .stride = {1, 2, 2},
                             .pad = {0, 1, 1},
                             .groups = groups};
        const spatial out = p.output();
        const int far_h = at_random(out.h - 1), far_w = at_random(out.w - 1), of = at_random(filters - 1);
        const T one = nearest<T>(1.0), infinity = nearest<T>(std::numeric_limits<double>::infinity());
        std::vector<T> dy(std::size_t(out.volume() * filters), one),
            w(std::size_t(25 * channels / groups * filters), one),
            dx(std::size_t(p.input.volume() * channels), poison<T>());
        dy[std::size_t((far_h * out.w + far_w) * filters + of)] = infinity;
        const conv_data_operands<T, T> operands{.dy = dy.data(), .w = w.data(), .dx = dx.data()};
        emulated_device<Arch> device({.threads = 1, .compute_units = 1});
        const auto says = [](const report& r) { return r.why.find("dy meets zeros") != std::string::npos; };
        CHECK(says(plan_conv_backward_data<T>(device, p, operands).report));
        CHECK(!says(
            conv_backward_data<T>(device, p, operands, {}, {.algorithm = conv_algorithm::implicit_gemm})));
        int wrong = 0;
        const auto sees = [](int pixel, int place) {
            const int tap = pixel + 1 - 2 * place;
            return tap >= 0 && tap < 5;
        };
        for (int h = 0; h < p.input.h; ++h)
            for (int x = 0; x < p.input.w; ++x)
                for (int c = 0; c < channels; ++c) {
                    const double got = value_of(dx[std::size_t((h * p.input.w + x) * channels + c)]);
                    const bool sees_it =
                        sees(h, far_h) && sees(x, far_w) && c * groups / channels == of * groups / filters;
                    wrong += sees_it ? !(std::isinf(got) && got > 0) : !std::isfinite(got);
                }
        CHECK(wrong == 0);
    }
}

}  // namespace fade::test
