// Few channels, whose taps become channels of a copy.
#pragma once
#include "common/conv_suite.hpp"

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

}  // namespace fade::test
