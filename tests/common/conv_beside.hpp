// Strided backward data of few channels, whose pixels of x lie beside each other.
#pragma once
#include "common/conv_suite.hpp"

namespace fade::test {

inline conv_case drawn_beside_case(std::mt19937_64& random, int i) {
    const auto drawn = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    conv_case c;
    c.problem = {.batch = drawn(1, 2),
                 .channels = drawn(1, 8),
                 .filters = 8 * drawn(4, 8),
                 .input = {1, drawn(9, 14), drawn(9, 14)},
                 .filter = {1, drawn(3, 7), drawn(3, 7)},
                 .stride = {1, 2, drawn(1, 2)},
                 .dilation = {1, drawn(1, 2), 1},
                 .pad = {0, drawn(0, 3), drawn(0, 3)},
                 .pad_end = {0, drawn(0, 3), drawn(0, 3)}};
    conv_problem& p = c.problem;
    if (p.filter.h > 4) p.dilation.h = 1;
    if (i % 4 == 3) p.input.d = 5, p.filter.d = 3, p.stride.d = 2, p.pad.d = 1, p.channels = drawn(1, 4);
    if (i % 4 == 1) p.stride.h = p.filter.h - 1;
    while (p.channels * p.stride.d * p.stride.h * p.stride.w > 64) --p.channels;
    if (i % 3 == 0) p.beta = 0.5, p.alpha = -1;
    if (i % 3 == 1) p.layout = conv_layout::channels_first;
    c.compute_units = drawn(0, 1) ? 1 : 64, c.split_k = drawn(0, 1) ? 0 : drawn(2, 3), c.seed = random();
    return c;
}

template <class Arch, class T>
void check_beside(int cases) {
    std::mt19937_64 random(conv_seed());
    reached_kernels reached;
    int beside = 0;
    for (int i = 0; i < cases; ++i) {
        const conv_case c = drawn_beside_case(random, i);
        INFO(c);
        auto device = conv_device_of<Arch, conv_algorithms{}>(1, c.compute_units);
        const auto at = [](int bit) { return reinterpret_cast<T*>(std::uintptr_t(1) << bit); };
        const report planned = plan_conv_backward_data<T>(
                                   device, c.problem, {.dy = at(30), .w = at(34), .c = at(36), .dx = at(38)},
                                   {}, {.split_k = c.split_k})
                                   .report;
        beside += planned.why.find("pixels of x, which the same windows reach") != std::string::npos;
        CHECK(conv_trial<Arch, T, T>(c, reached).run() == "");
    }
    CHECK(5 * beside > cases);
}

}  // namespace fade::test
