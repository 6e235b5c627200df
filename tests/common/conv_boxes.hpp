// Convolutions whose windows the copy unit walks over: channels that it takes, in tiles of both sizes.
#pragma once
#include "common/conv_trial.hpp"

namespace fade::test {

/// Draws them: one or two dimensions, strides and dilations up to 3, margins on both sides, pixels of several
/// tiles.
class conv_box_draw {
public:
    explicit conv_box_draw(std::uint64_t seed) : random_(seed) {}

    /// `wide`: results of more columns than a small tile has, and rows of one tile.
    conv_case operator()(bool wide) {
        conv_case c;
        conv_problem& p = c.problem;
        p.batch = drawn(1, 3), p.pad_end = {0, 0, 0};
        p.channels = wide ? 192 : channels(), p.filters = wide ? 192 : channels();
        dimension(p.input.w, p.filter.w, p.stride.w, p.dilation.w, p.pad.w, p.pad_end.w, wide ? 3 : 14);
        if (drawn(0, 3) > 0)
            dimension(p.input.h, p.filter.h, p.stride.h, p.dilation.h, p.pad.h, p.pad_end.h, wide ? 3 : 8);
        if (drawn(0, 2) == 0) p.alpha = 0.5;
        if (drawn(0, 2) == 0) p.beta = -0.75;
        if (drawn(0, 3) == 0) p.layout = conv_layout::channels_first;
        c.compute_units = wide || drawn(0, 1) ? 1 : 64, c.threads = drawn(1, 3), c.split_k = drawn(0, 3);
        c.seed = random_();
        return c;
    }

private:
    int drawn(int first, int last) { return std::uniform_int_distribution<int>(first, last)(random_); }
    int channels() { return drawn(0, 1) ? 64 : 8 * drawn(1, 20); }
    void dimension(int& input, int& filter, int& stride, int& dilation, int& pad, int& pad_end, int more) {
        filter = drawn(1, 4), stride = drawn(0, 2) ? 1 : drawn(2, 3),
        dilation = drawn(0, 1) ? 1 : drawn(2, 3);
        pad = drawn(0, 3), pad_end = drawn(0, 3);
        const int reach = (filter - 1) * dilation + 1;
        input = drawn(std::max(1, reach - pad - pad_end), reach + more * stride);
    }

    std::mt19937_64 random_;
};

}  // namespace fade::test
