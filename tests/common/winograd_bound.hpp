// What Winograd's minimal filtering may be off: the magnitudes that its transforms sum, by the matrices as
// Lavin and Gray print them, in double precision.
#pragma once
#include "common/conv_case.hpp"
#include <array>

namespace fade::test {

/// |B^T|, |G| and |A^T| of F(2 x 2, 3 x 3) and F(4 x 4, 3 x 3), and how many roundings a value passes in all
/// three transforms of both dimensions.
struct winograd_matrices {
    int made, edge, roundings;
    double pixels[6][6], taps[6][3], products[4][6];
};
inline constexpr winograd_matrices winograd_matrices_of_2{
    .made = 2,
    .edge = 4,
    .roundings = 10,
    .pixels = {{1, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}},
    .taps = {{1, 0, 0}, {.5, .5, .5}, {.5, .5, .5}, {0, 0, 1}},
    .products = {{1, 1, 1, 0}, {0, 1, 1, 1}}};
inline constexpr winograd_matrices winograd_matrices_of_4{
    .made = 4,
    .edge = 6,
    .roundings = 20,
    .pixels = {{4, 0, 5, 0, 1, 0},
               {0, 4, 4, 1, 1, 0},
               {0, 4, 4, 1, 1, 0},
               {0, 2, 1, 2, 1, 0},
               {0, 2, 1, 2, 1, 0},
               {0, 4, 0, 5, 0, 1}},
    .taps = {{1. / 4, 0, 0},
             {1. / 6, 1. / 6, 1. / 6},
             {1. / 6, 1. / 6, 1. / 6},
             {1. / 24, 1. / 12, 1. / 6},
             {1. / 24, 1. / 12, 1. / 6},
             {0, 0, 1}},
    .products = {{1, 1, 1, 1, 1, 0}, {0, 1, 1, 2, 2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, 1, 8, 8, 1}}};

using winograd_square = std::array<double, 36>;

/// Replaces the magnitudes of sums, of y or (backward) of dx, by those that the algorithm sums.
class winograd_bound {
public:
    winograd_bound(const conv_problem& p, conv_algorithm algorithm, bool backward)
        : p_(p), places_{p}, backward_(backward),
          m_(algorithm == conv_algorithm::winograd_f2 ? winograd_matrices_of_2 : winograd_matrices_of_4) {}

    /// `read` is |x| or |dy|, `filter` |w|, by their elements.
    template <class Read, class Filter>
    void widen(std::vector<conv_sum>& sums, Read read, Filter filter) const {
        const spatial out = backward_ ? p_.input : p_.output();
        const int read_in_group = (backward_ ? p_.filters : p_.channels) / p_.groups,
                  made_in_group = (backward_ ? p_.channels : p_.filters) / p_.groups;
        for (int group = 0; group < p_.groups; ++group) {
            std::vector<winograd_square> taps;
            for (int made = 0; made < made_in_group; ++made)
                for (int c = 0; c < read_in_group; ++c) taps.push_back(taps_of(group, made, c, filter));
            for (index n = 0; n < p_.batch; ++n)
                for (int h = 0; h < out.h; h += m_.made)
                    for (int w = 0; w < out.w; w += m_.made) {
                        std::vector<winograd_square> pixels;
                        for (int c = 0; c < read_in_group; ++c)
                            pixels.push_back(pixels_of(n, h, w, group * read_in_group + c, read));
                        for (int made = 0; made < made_in_group; ++made)
                            place(sums, n, h, w, group * made_in_group + made,
                                  summed(pixels, &taps[std::size_t(made * read_in_group)]), read_in_group);
                    }
        }
    }

    /// Those of the filter's gradient, by the transposed matrices: `x` and `dy` are magnitudes.
    template <class X, class Dy>
    void widen_weights(std::vector<conv_sum>& sums, X x, Dy dy) const {
        const int channels = p_.channels / p_.groups, filters = p_.filters / p_.groups;
        for (int f = 0; f < p_.filters; ++f)
            for (int c = 0; c < channels; ++c) {
                const int channel = f / filters * channels + c;
                winograd_square sum{};
                index tiles = 0;
                each_tile([&](index n, int h, int w) {
                    const auto seen = pixels_of(n, h, w, channel, x), made = gradients_of(n, h, w, f, dy);
                    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += seen[i] * made[i];
                    ++tiles;
                });
                for (int tap = 0; tap < 9; ++tap) {
                    conv_sum& s = sums[places_.w(f, 0, tap / 3, tap % 3, c)];
                    s.magnitude = 0, s.count = tiles + m_.roundings;
                    for (int i = 0; i < m_.edge * m_.edge; ++i)
                        s.magnitude += m_.taps[i / m_.edge][tap / 3] * m_.taps[i % m_.edge][tap % 3] *
                                       sum[std::size_t(i / m_.edge * 6 + i % m_.edge)];
                }
            }
    }

private:
    template <class F>
    void each_tile(F f) const {
        const spatial out = p_.output();
        for (index n = 0; n < p_.batch; ++n)
            for (int h = 0; h < out.h; h += m_.made)
                for (int w = 0; w < out.w; w += m_.made) f(n, h, w);
    }
    /// |A| s |A^T| of the pixels that a tile makes.
    template <class Dy>
    winograd_square gradients_of(index n, int h, int w, int filter, Dy dy) const {
        const spatial size = p_.output();
        winograd_square out{};
        for (int a = 0; a < m_.made && h + a < size.h; ++a)
            for (int b = 0; b < m_.made && w + b < size.w; ++b)
                for (int i = 0; i < m_.edge * m_.edge; ++i)
                    out[std::size_t(i / m_.edge * 6 + i % m_.edge)] +=
                        m_.products[a][i / m_.edge] * m_.products[b][i % m_.edge] *
                        dy(places_.y(n, 0, h + a, w + b, filter));
        return out;
    }
    /// |matrix| s |matrix^T|, of `to` rows and as many columns.
    template <int Columns, class Square>
    static winograd_square transformed(const double (*matrix)[Columns], int to, int from, Square square) {
        winograd_square out{};
        for (int i = 0; i < to; ++i)
            for (int j = 0; j < to; ++j)
                for (int a = 0; a < from; ++a)
                    for (int b = 0; b < from; ++b)
                        out[std::size_t(i * 6 + j)] += matrix[i][a] * matrix[j][b] * square(a, b);
        return out;
    }
    template <class Filter>
    winograd_square taps_of(int group, int made, int c, Filter filter) const {
        const int filters = p_.filters / p_.groups;
        return transformed<3>(m_.taps, m_.edge, 3, [&](int a, int b) {
            return backward_ ? filter(places_.w(group * filters + c, 0, 2 - a, 2 - b, made))
                             : filter(places_.w(group * filters + made, 0, a, b, c));
        });
    }
    template <class Read>
    winograd_square pixels_of(index n, int h, int w, int channel, Read read) const {
        const spatial in = backward_ ? p_.output() : p_.input;
        return transformed<6>(m_.pixels, m_.edge, m_.edge, [&](int a, int b) {
            const int at_h = h + a - (backward_ ? 2 - p_.pad.h : p_.pad.h),
                      at_w = w + b - (backward_ ? 2 - p_.pad.w : p_.pad.w);
            if (at_h < 0 || at_w < 0 || at_h >= in.h || at_w >= in.w) return 0.0;
            return read(backward_ ? places_.y(n, 0, at_h, at_w, channel)
                                  : places_.x(n, 0, at_h, at_w, channel));
        });
    }
    winograd_square summed(const std::vector<winograd_square>& pixels, const winograd_square* taps) const {
        winograd_square sum{};
        for (std::size_t c = 0; c < pixels.size(); ++c)
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += pixels[c][i] * taps[c][i];
        return transformed<6>(m_.products, m_.made, m_.edge,
                              [&](int a, int b) { return sum[std::size_t(a * 6 + b)]; });
    }
    void place(std::vector<conv_sum>& sums, index n, int h, int w, int channel, const winograd_square& made,
               int products) const {
        const spatial out = backward_ ? p_.input : p_.output();
        for (int i = 0; i < m_.made && h + i < out.h; ++i)
            for (int j = 0; j < m_.made && w + j < out.w; ++j) {
                const std::size_t at = backward_ ? places_.x(n, 0, h + i, w + j, channel)
                                                 : places_.y(n, 0, h + i, w + j, channel);
                sums[at].magnitude = made[std::size_t(i * 6 + j)], sums[at].count = products + m_.roundings;
            }
    }

    const conv_problem& p_;
    conv_places places_;
    bool backward_;
    const winograd_matrices& m_;
};

}  // namespace fade::test
