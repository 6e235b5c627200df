// What convolutions by Fourier transforms may be off: norms of the tiles and taps that meet in a result, in
// double precision.
#pragma once
#include "common/conv_case.hpp"
#include <bit>
#include <fade/tune/conv/fft.hpp>

namespace fade::test {

/// Replaces the magnitudes of sums by what docs/conv.md says: for each tile and channel that meet in a
/// result, the 2-norm of the tile times the 1-norm of the taps (in backward weights, of the tile of dy).
class fft_bound {
public:
    fft_bound(const conv_problem& p, conv_pass pass)
        : p_(p), pass_(pass), size_(tune::fft_sizes_of(pass, kernel::sizes_of(p))),
          step_h_(size_.h - (p.filter.h - 1) * p.dilation.h),
          step_w_(size_.w - (p.filter.w - 1) * p.dilation.w) {}

    /// `read` is |x| or |dy|, `other` |w| or, in backward weights, |dy|, by their elements.
    template <class Read, class Other>
    void widen(std::vector<conv_sum>& sums, Read read, Other other) const {
        const bool data = pass_ == conv_pass::backward_data, weights = pass_ == conv_pass::backward_weights;
        const spatial out = data ? p_.input : p_.output();
        const int read_in_group = (data ? p_.filters : p_.channels) / p_.groups,
                  made_in_group = (data ? p_.channels : p_.filters) / p_.groups;
        index tiles = 0;
        std::vector<double> magnitudes(sums.size());
        for (index n = 0; n < p_.batch; ++n)
            for (int h = 0; h < out.h; h += step_h_)
                for (int w = 0; w < out.w; w += step_w_, ++tiles)
                    for (int made = 0; made < made_in_group * p_.groups; ++made)
                        for (int c = 0; c < read_in_group; ++c) {
                            const int group = made / made_in_group, in_group = made % made_in_group;
                            const double tile = norm_of_tile(n, h, w, group * read_in_group + c, read);
                            if (weights) {
                                const double met = tile * sum_of_tile(n, h, w, made, other);
                                each_tap(
                                    [&](int a, int b) { magnitudes[places_.w(made, 0, a, b, c)] += met; });
                                continue;
                            }
                            double taps = 0;
                            each_tap([&](int a, int b) {
                                taps += data ? other(places_.w(group * read_in_group + c, 0, a, b, in_group))
                                             : other(places_.w(made, 0, a, b, c));
                            });
                            for (int i = h; i < std::min(h + step_h_, out.h); ++i)
                                for (int j = w; j < std::min(w + step_w_, out.w); ++j)
                                    magnitudes[data ? places_.x(n, 0, i, j, made)
                                                    : places_.y(n, 0, i, j, made)] += tile * taps;
                        }
        const index products = weights ? tiles : index(read_in_group),
                    levels = std::bit_width(unsigned(size_.h * size_.w));
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i].magnitude = magnitudes[i], sums[i].count = 4 * (products + 3) + 21 * levels - 1;
    }

private:
    template <class F>
    void each_tap(F f) const {
        for (int a = 0; a < p_.filter.h; ++a)
            for (int b = 0; b < p_.filter.w; ++b) f(a, b);
    }
    template <class Read>
    double norm_of_tile(index n, int h, int w, int channel, Read read) const {
        const bool data = pass_ == conv_pass::backward_data;
        const spatial in = data ? p_.output() : p_.input;
        const int first_h = h - (data ? size_.h - step_h_ - p_.pad.h : p_.pad.h),
                  first_w = w - (data ? size_.w - step_w_ - p_.pad.w : p_.pad.w);
        double squares = 0;
        for (int i = std::max(first_h, 0); i < std::min(first_h + size_.h, in.h); ++i)
            for (int j = std::max(first_w, 0); j < std::min(first_w + size_.w, in.w); ++j) {
                const double v = read(data ? places_.y(n, 0, i, j, channel) : places_.x(n, 0, i, j, channel));
                squares += v * v;
            }
        return std::sqrt(squares);
    }
    template <class Read>
    double sum_of_tile(index n, int h, int w, int filter, Read dy) const {
        const spatial out = p_.output();
        double sum = 0;
        for (int i = h; i < std::min(h + step_h_, out.h); ++i)
            for (int j = w; j < std::min(w + step_w_, out.w); ++j) sum += dy(places_.y(n, 0, i, j, filter));
        return sum;
    }

    const conv_problem& p_;
    conv_places places_{p_};
    conv_pass pass_;
    tune::fft_sizes size_;
    int step_h_, step_w_;
};

}  // namespace fade::test
