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
          step_d_(size_.d - (p.filter.d - 1) * p.dilation.d),
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
        each_pixel({0, 0, 0}, out, {step_d_, step_h_, step_w_}, [&](const spatial& at) {
            for (index n = 0; n < p_.batch; ++n, ++tiles)
                for (int made = 0; made < made_in_group * p_.groups; ++made)
                    for (int c = 0; c < read_in_group; ++c) {
                        const int group = made / made_in_group, in_group = made % made_in_group;
                        const double tile = norm_of_tile(n, at, group * read_in_group + c, read);
                        if (weights) {
                            const double met = tile * sum_of_tile(n, at, made, other);
                            each_tap([&](const spatial& t) {
                                magnitudes[places_.w(made, t.d, t.h, t.w, c)] += met;
                            });
                            continue;
                        }
                        double taps = 0;
                        each_tap([&](const spatial& t) {
                            taps += data
                                        ? other(places_.w(group * read_in_group + c, t.d, t.h, t.w, in_group))
                                        : other(places_.w(made, t.d, t.h, t.w, c));
                        });
                        each_pixel(at, end_of_tile(at, out), {1, 1, 1}, [&](const spatial& o) {
                            magnitudes[data ? places_.x(n, o.d, o.h, o.w, made)
                                            : places_.y(n, o.d, o.h, o.w, made)] += tile * taps;
                        });
                    }
        });
        const index products = weights ? tiles : index(read_in_group),
                    levels = std::bit_width(unsigned(size_.d * size_.h * size_.w));
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i].magnitude = magnitudes[i], sums[i].count = 4 * (products + 3) + 21 * levels - 1;
    }

private:
    template <class F>
    static void each_pixel(const spatial& first, const spatial& end, const spatial& step, F f) {
        for (int d = first.d; d < end.d; d += step.d)
            for (int h = first.h; h < end.h; h += step.h)
                for (int w = first.w; w < end.w; w += step.w) f(spatial{d, h, w});
    }
    template <class F>
    void each_tap(F f) const {
        each_pixel({0, 0, 0}, p_.filter, {1, 1, 1}, f);
    }
    spatial end_of_tile(const spatial& at, const spatial& out) const {
        return {std::min(at.d + step_d_, out.d), std::min(at.h + step_h_, out.h),
                std::min(at.w + step_w_, out.w)};
    }
    template <class Read>
    double norm_of_tile(index n, const spatial& at, int channel, Read read) const {
        const bool data = pass_ == conv_pass::backward_data;
        const spatial in = data ? p_.output() : p_.input,
                      first{at.d - (data ? size_.d - step_d_ - p_.pad.d : p_.pad.d),
                            at.h - (data ? size_.h - step_h_ - p_.pad.h : p_.pad.h),
                            at.w - (data ? size_.w - step_w_ - p_.pad.w : p_.pad.w)};
        double squares = 0;
        each_pixel({std::max(first.d, 0), std::max(first.h, 0), std::max(first.w, 0)},
                   {std::min(first.d + size_.d, in.d), std::min(first.h + size_.h, in.h),
                    std::min(first.w + size_.w, in.w)},
                   {1, 1, 1}, [&](const spatial& i) {
                       const double v = read(data ? places_.y(n, i.d, i.h, i.w, channel)
                                                  : places_.x(n, i.d, i.h, i.w, channel));
                       squares += v * v;
                   });
        return std::sqrt(squares);
    }
    template <class Read>
    double sum_of_tile(index n, const spatial& at, int filter, Read dy) const {
        double sum = 0;
        each_pixel(at, end_of_tile(at, p_.output()), {1, 1, 1},
                   [&](const spatial& o) { sum += dy(places_.y(n, o.d, o.h, o.w, filter)); });
        return sum;
    }

    const conv_problem& p_;
    conv_places places_{p_};
    conv_pass pass_;
    tune::fft_sizes size_;
    int step_d_, step_h_, step_w_;
};

}  // namespace fade::test
