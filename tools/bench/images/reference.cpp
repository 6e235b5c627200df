#include "reference.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace fade::bench {
namespace {

using enum image_operator;
using plane = std::vector<double>;
using place = std::array<index, 3>;  // d, h, w

/// Values with the squares of their terms.
struct sums {
    explicit sums(index count) : value(std::size_t(count)), squares(std::size_t(count)) {}
    void add(index i, double term) { value[std::size_t(i)] += term, squares[std::size_t(i)] += term * term; }
    expected_elements done(std::string_view tensor, const plane_place& at) && {
        for (double& s : squares) s = std::sqrt(s);
        return {tensor, at, std::move(value), std::move(squares)};
    }

    plane value, squares;
};

place sizes_of(const spatial& s) { return {s.d, s.h, s.w}; }
index pixel_at(const place& at, const place& size) { return (at[0] * size[1] + at[1]) * size[2] + at[2]; }

/// f(place) of all pixels, in order.
template <class F>
void each_pixel(const place& size, const F& f) {
    for (index d = 0; d < size[0]; ++d)
        for (index h = 0; h < size[1]; ++h)
            for (index w = 0; w < size[2]; ++w) f(place{d, h, w});
}

/// What one output takes of the pixels of a dimension: of two at most, and how those shares follow the
/// coordinate.
struct taps {
    std::array<index, 2> pixel{};
    std::array<double, 2> share{1, 0}, slope{};
};

class image_reference {
public:
    image_reference(const image_request& r, const image_data& data, index unit)
        : p_(r.problem), dims_(r.dims), data_(data), unit_(unit), in_(sizes_of(p_.input())),
          out_(sizes_of(p_.output())) {}

    std::vector<expected_elements> all() {
        if (p_.norms()) return p_.backward ? norm_gradient() : norm();
        if (p_.pools()) return {pool(), std::move(more_)};
        if (p_.op == upsample) return {upsampled()};
        return p_.backward ? samples_gradient() : std::vector{samples()};
    }

private:
    index image() const { return unit_ / p_.channels(); }
    int channel() const { return int(unit_ % p_.channels()); }
    plane_place of_x(index n, int c) const { return plane_of(p_, p_.input(), n, c); }
    plane_place of_y(index n, int c) const { return plane_of(p_, p_.output(), n, c); }
    plane_place here(bool of_result) const {
        return of_result ? of_y(image(), channel()) : of_x(image(), channel());
    }

    // ---- pooling: f(place, is it inside) of the taps of a window, with or without the room around

    template <class F>
    void each_tap(const place& o, const F& f) const {
        const pool_problem& q = p_.pool;
        const place stride = sizes_of(q.stride), apart = sizes_of(q.dilation), window = sizes_of(q.window),
                    before{q.pad.d, q.pad.h, q.pad.w}, behind{q.pad_end.d, q.pad_end.h, q.pad_end.w};
        each_pixel(window, [&](const place& t) {
            place at;
            bool inside = true, in_room = true;
            for (std::size_t i = 0; i < 3; ++i) {
                at[i] = o[i] * stride[i] - before[i] + t[i] * apart[i];
                inside = inside && at[i] >= 0 && at[i] < in_[i];
                in_room = in_room && at[i] < in_[i] + behind[i];
            }
            f(at, inside, in_room);
        });
    }

    expected_elements pool() {
        const plane from = data_.values(p_.backward ? "dy" : "x", here(p_.backward));
        if (p_.op == max_pool) return p_.backward ? max_gradient(from) : largest(from);
        sums to(p_.backward ? p_.input().volume() : p_.output().volume());
        each_pixel(out_, [&](const place& o) {
            index counted = 0, seen = 0;
            each_tap(o, [&](const place&, bool inside, bool in_room) { seen += inside, counted += in_room; });
            const double each = 1.0 / double(std::max<index>(p_.pool.count_include_pad ? counted : seen, 1));
            const index y = pixel_at(o, out_);
            each_tap(o, [&](const place& at, bool inside, bool) {
                if (!inside) return;
                const index x = pixel_at(at, in_);
                to.add(p_.backward ? x : y, each * from[std::size_t(p_.backward ? y : x)]);
            });
        });
        return std::move(to).done(p_.backward ? "dx" : "y", here(!p_.backward));
    }
    expected_elements largest(const plane& x) {
        expected_elements y{"y", here(true), {}, {}}, indices{"indices", here(true), {}, {}};
        each_pixel(out_, [&](const place& o) {
            double most = -INFINITY;
            index found = -1;
            each_tap(o, [&](const place& at, bool inside, bool) {
                if (!inside) return;
                const index i = pixel_at(at, in_);
                if (found < 0 || x[std::size_t(i)] > most) most = x[std::size_t(i)], found = i;
            });
            y.value.push_back(most), indices.value.push_back(double(found));
        });
        more_ = std::move(indices);
        return y;
    }
    expected_elements max_gradient(const plane& dy) const {
        const plane indices = data_.values("indices", here(true));
        sums to(p_.input().volume());
        for (std::size_t i = 0; i < dy.size(); ++i)
            if (indices[i] >= 0) to.add(index(indices[i]), dy[i]);
        return std::move(to).done("dx", here(false));
    }

    // ---- resampling

    /// f(pixel, share, taps of each dimension that were taken) of what an output takes of an image.
    template <class F>
    void each_corner(const std::array<taps, 3>& t, const F& f) const {
        for (int corner = 0; corner < 8; ++corner) {
            const std::array<std::size_t, 3> end{std::size_t(corner >> 2), std::size_t(corner >> 1 & 1),
                                                 std::size_t(corner & 1)};
            place at;
            bool inside = true;
            double share = 1;
            for (std::size_t i = 0; i < 3; ++i) {
                at[i] = t[i].pixel[end[i]], share *= t[i].share[end[i]];
                inside = inside && at[i] >= 0 && at[i] < in_[i];
            }
            if (inside) f(pixel_at(at, in_), share, end);
        }
    }

    taps upsample_taps(index o, index in, index out) const {
        const upsample_problem& q = p_.up;
        if (q.mode == upsample_mode::nearest) return {{o * in / out, 0}};
        if (q.mode == upsample_mode::nearest_exact) return {{(2 * o + 1) * in / (2 * out), 0}};
        const double corners = out > 1 ? double(o) * double(in - 1) / double(out - 1) : 0,
                     middles = (double(o) + 0.5) * double(in) / double(out) - 0.5;
        return between(std::max(q.align_corners ? corners : middles, 0.0), in);
    }
    /// Neighbours of a position in the image.
    static taps between(double at, index in) {
        const index below = std::min(index(at), in - 1);
        const double share = std::min(at - double(below), 1.0);
        return {{below, std::min(below + 1, in - 1)}, {1 - share, share}};
    }

    expected_elements upsampled() const {
        const plane from = data_.values(p_.backward ? "dy" : "x", here(p_.backward));
        sums to(p_.backward ? p_.input().volume() : p_.output().volume());
        each_pixel(out_, [&](const place& o) {
            std::array<taps, 3> t;
            for (std::size_t i = 0; i < 3; ++i) t[i] = upsample_taps(o[i], in_[i], out_[i]);
            const index y = pixel_at(o, out_);
            each_corner(t, [&](index x, double share, const auto&) {
                to.add(p_.backward ? x : y, share * from[std::size_t(p_.backward ? y : x)]);
            });
        });
        return std::move(to).done(p_.backward ? "dx" : "y", here(!p_.backward));
    }

    taps grid_taps(double g, index size) const {
        const grid_sample_problem& q = p_.grid;
        const double n = double(size);
        double slope = (q.align_corners ? n - 1 : n) / 2,
               at = q.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
        if (q.padding == grid_padding::reflection) {
            const double low = q.align_corners ? 0 : -0.5, high = q.align_corners ? n - 1 : n - 0.5;
            if (high <= low) at = slope = 0;
            while (high > low && (at < low || at > high))
                at = (at < low ? 2 * low : 2 * high) - at, slope = -slope;
        }
        if (q.padding != grid_padding::zeros) {
            if (at <= 0 || at >= n - 1) slope = 0;
            at = std::clamp(at, 0.0, n - 1);
        }
        if (q.mode == grid_mode::nearest) return {{index(std::nearbyint(at)), -1}};
        const index below = index(std::floor(at));
        const double share = at - double(below);
        return {{below, below + 1}, {1 - share, share}, {-slope, slope}};
    }
    std::array<taps, 3> grid_taps_of(const plane& grid, index point) const {
        std::array<taps, 3> t;
        for (int axis = 0; axis < dims_; ++axis) {
            const auto i = std::size_t(2 - axis);
            t[i] = grid_taps(grid[std::size_t(point * dims_ + axis)], in_[i]);
        }
        return t;
    }
    plane_place grid_of(index n) const {
        const index count = p_.output().volume() * dims_;
        return {n * count, 1, count};
    }

    expected_elements samples() const {
        const plane x = data_.values("x", here(false)), grid = data_.values("grid", grid_of(image()));
        sums y(p_.output().volume());
        for (index o = 0; o < p_.output().volume(); ++o)
            each_corner(grid_taps_of(grid, o), [&](index pixel, double share, const auto&) {
                y.add(o, share * x[std::size_t(pixel)]);
            });
        return std::move(y).done("y", here(true));
    }
    /// Of an image: dx of each channel, and dgrid of all.
    std::vector<expected_elements> samples_gradient() const {
        std::vector<expected_elements> out;
        const plane grid = data_.values("grid", grid_of(unit_));
        sums dgrid(index(grid.size()));
        for (int c = 0; c < p_.channels(); ++c) {
            const plane x = data_.values("x", of_x(unit_, c)), dy = data_.values("dy", of_y(unit_, c));
            sums dx(p_.input().volume());
            for (index o = 0; o < index(dy.size()); ++o) {
                const auto t = grid_taps_of(grid, o);
                const double g = dy[std::size_t(o)];
                each_corner(t, [&](index pixel, double share, const auto& end) {
                    dx.add(pixel, share * g);
                    for (int axis = 0; axis < dims_; ++axis) {
                        double term = g * x[std::size_t(pixel)];
                        for (std::size_t i = 0; i < 3; ++i)
                            term *= int(i) == 2 - axis ? t[i].slope[end[i]] : t[i].share[end[i]];
                        dgrid.add(o * dims_ + axis, term);
                    }
                });
            }
            out.push_back(std::move(dx).done("dx", of_x(unit_, c)));
        }
        out.push_back(std::move(dgrid).done("dgrid", grid_of(unit_)));
        return out;
    }

    // ---- batch normalisation: a unit is a channel of all images

    double vector_of(std::string_view name) const { return data_.values(name, {unit_, 1, 1})[0]; }
    expected_elements vector(std::string_view name, double value, double scale) const {
        return {name, {unit_, 1, 1}, {value}, {scale}};
    }
    std::vector<plane> planes(std::string_view name) const {
        std::vector<plane> out;
        for (index n = 0; n < p_.batch(); ++n) out.push_back(data_.values(name, of_x(n, int(unit_))));
        return out;
    }
    double count() const { return double(p_.batch()) * double(p_.input().volume()); }

    std::vector<expected_elements> norm() const {
        const std::vector<plane> x = planes("x");
        double mean = 0, squares = 0, sizes = 0;
        for (const plane& one : x)
            for (double v : one) mean += v / count(), sizes += v * v;
        for (const plane& one : x)
            for (double v : one) squares += (v - mean) * (v - mean);
        double root = 1 / std::sqrt(squares / count() + p_.norm.epsilon);
        std::vector<expected_elements> out;
        if (p_.op == batch_norm)
            out = {vector("mean", mean, std::sqrt(sizes / count())), vector("inverse_root", root, root)};
        else
            mean = vector_of("mean"), root = 1 / std::sqrt(vector_of("variance") + p_.norm.epsilon);
        const double weight = vector_of("weight"), bias = vector_of("bias");
        for (index n = 0; n < p_.batch(); ++n) {
            expected_elements y{"y", of_x(n, int(unit_)), {}, {}};
            for (double v : x[std::size_t(n)]) {
                y.value.push_back((v - mean) * root * weight + bias);
                y.scale.push_back((std::abs(v) + std::abs(mean)) * root * std::abs(weight) + std::abs(bias));
            }
            out.push_back(std::move(y));
        }
        return out;
    }

    /// dx = root weight (dy - mean(dy) - n mean(dy n)), where n is what was normalised.
    std::vector<expected_elements> norm_gradient() const {
        const std::vector<plane> x = planes("x"), dy = planes("dy");
        const double mean = vector_of("mean"), root = vector_of("inverse_root"), weight = vector_of("weight");
        sums of_weight(1), of_bias(1);
        for (std::size_t n = 0; n < x.size(); ++n)
            for (std::size_t i = 0; i < x[n].size(); ++i)
                of_weight.add(0, dy[n][i] * (x[n][i] - mean) * root), of_bias.add(0, dy[n][i]);
        const double along = of_weight.value[0] / count(), level = of_bias.value[0] / count();
        std::vector<expected_elements> out{std::move(of_weight).done("dweight", {unit_, 1, 1}),
                                           std::move(of_bias).done("dbias", {unit_, 1, 1})};
        for (index n = 0; n < p_.batch(); ++n) {
            expected_elements dx{"dx", of_x(n, int(unit_)), {}, {}};
            for (std::size_t i = 0; i < x[std::size_t(n)].size(); ++i) {
                const double v = (x[std::size_t(n)][i] - mean) * root, g = dy[std::size_t(n)][i];
                dx.value.push_back(root * weight * (g - level - v * along));
                dx.scale.push_back(root * std::abs(weight) *
                                   (std::abs(g) + std::abs(level) + std::abs(v * along)));
            }
            out.push_back(std::move(dx));
        }
        return out;
    }

    const image_problem& p_;
    int dims_;
    const image_data& data_;
    index unit_;
    place in_, out_;
    expected_elements more_{};
};

}  // namespace

index units_of(const image_problem& p) {
    if (p.norms()) return p.batch() > 0 ? p.channels() : 0;
    if (p.op == grid_sample && p.backward) return p.channels() > 0 ? p.batch() : 0;
    return p.batch() * p.channels();
}

std::vector<expected_elements> reference_of(const image_request& r, const image_data& data, index unit) {
    return image_reference(r, data, unit).all();
}

}  // namespace fade::bench
