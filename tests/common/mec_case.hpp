// Convolutions that mec takes, drawn at random.
#pragma once
#include "common/conv_case.hpp"

namespace fade::test {

/// One group, neighbouring taps along w, and about so many pixels of y.
inline conv_case drawn_mec_case(std::mt19937_64& random, int pixels) {
    const auto pick = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    conv_case c;
    conv_problem& p = c.problem;
    const auto dimension = [&](int& input, int& filter, int& stride, int& pad, int& pad_end, int more) {
        filter = pick(1, 7), stride = pick(1, 3), pad = pick(0, 3), pad_end = pick(0, 3);
        input = filter + more * stride - pick(0, 2);
        if (input + pad + pad_end < filter) input = filter;
    };
    p.batch = pick(1, 3), p.channels = pick(1, 5), p.filters = pick(0, 1) ? 8 * pick(1, 9) : pick(1, 20);
    p.pad_end = {0, 0, 0};
    dimension(p.input.w, p.filter.w, p.stride.w, p.pad.w, p.pad_end.w, pixels / 9);
    dimension(p.input.h, p.filter.h, p.stride.h, p.pad.h, p.pad_end.h, 9);
    if (pick(0, 2) == 0) p.dilation.h = pick(1, 2), p.input.h += p.filter.h;
    if (pick(0, 3) == 0)
        p.filter.d = pick(1, 3), p.input.d = p.filter.d + pick(0, 1), p.pad.d = pick(0, 1), p.batch = 1;
    if (p.filter.w == 1) p.dilation.w = pick(1, 3);
    if (pick(0, 2) == 0) p.alpha = 0.5;
    if (pick(0, 2) == 0) p.beta = -0.75;
    if (pick(0, 3) == 0) p.layout = conv_layout::channels_first;
    c.compute_units = pick(0, 1) ? 1 : 64, c.threads = pick(1, 3), c.split_k = pick(0, 1) ? 0 : pick(2, 3);
    c.shift = pick(0, 7) ? 0 : 1, c.algorithm = conv_algorithm::mec, c.seed = random();
    return c;
}

}  // namespace fade::test
