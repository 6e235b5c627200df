// Runs all poolings of one problem, and says what is wrong with them: against loops over windows.
#pragma once
#include "common/image_case.hpp"
#include <fade/pool.hpp>

namespace fade::test {

struct pool_case {
    pool_problem problem;
    int shift = 0;
    bool with_nan = false;
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const pool_case& c) {
    const pool_problem& p = c.problem;
    const auto sizes = [&](const char* name, const auto& s) {
        to << ' ' << name << ' ' << s.d << 'x' << s.h << 'x' << s.w;
    };
    to << "batch " << p.batch << " channels " << p.channels;
    sizes("input", p.input), sizes("window", p.window), sizes("stride", p.stride);
    sizes("dilation", p.dilation), sizes("pad", p.pad), sizes("pad_end", p.pad_end);
    return to << (p.ceil_mode ? " ceil" : "") << (p.count_include_pad ? " with pad" : "")
              << (p.layout == conv_layout::channels_first ? " channels first" : "") << " shift " << c.shift
              << (c.with_nan ? " NaN" : "") << " seed " << c.seed;
}

inline pool_case random_pool_case(std::mt19937_64& random) {
    image_draw draw{random};
    random();
    pool_case c;
    pool_problem& p = c.problem;
    p.batch = draw.of(1, 3), p.channels = draw.coin() ? 8 * draw.of(1, 3) : draw.of(1, 9);
    const int dimensions = draw.of(1, 3);
    p.ceil_mode = draw.coin(), p.count_include_pad = draw.coin();
    const auto dimension = [&](int& in, int& taps, int& stride, int& apart, int& before, int& behind) {
        taps = draw.of(1, 4), stride = draw.of(0, 3), apart = draw.of(0, 2) ? 1 : draw.of(1, 3);
        const int reach = (taps - 1) * apart + 1;
        before = draw.of(0, std::min(reach - 1, 3)),
        behind = draw.coin() ? -1 : draw.of(0, std::min(reach - 1, 3));
        const int beyond = p.ceil_mode ? (stride ? stride : taps) - 1 : 0;  // the room around the image
        in = draw.of(std::max(1, reach - before - std::max(behind, 0) - beyond), reach + 9);
    };
    dimension(p.input.w, p.window.w, p.stride.w, p.dilation.w, p.pad.w, p.pad_end.w);
    if (dimensions > 1) dimension(p.input.h, p.window.h, p.stride.h, p.dilation.h, p.pad.h, p.pad_end.h);
    if (dimensions > 2) dimension(p.input.d, p.window.d, p.stride.d, p.dilation.d, p.pad.d, p.pad_end.d);
    if (draw.coin()) p.layout = conv_layout::channels_first;
    c.shift = draw.of(0, 3) ? 0 : 1, c.with_nan = draw.of(0, 3) == 0, c.seed = draw.random();
    return c;
}

/// Along one dimension: the pixels that window o sees, inside or around the image.
struct seen_pixels {
    int begin, step, count, input, before, behind;
    int at(int tap) const { return begin + tap * step; }
    bool inside(int tap) const { return at(tap) >= 0 && at(tap) < input; }
    bool in_room(int tap) const { return at(tap) >= -before && at(tap) < input + behind; }
};

template <class Arch, class T>
class pool_trial {
public:
    explicit pool_trial(const pool_case& c)
        : c_(c), p_(c.problem), x_(count(p_.input), c.shift), dy_(count(p_.output()), c.shift),
          y_(dy_.size(), c.shift), dx_(x_.size(), c.shift), indices_(dy_.size(), 77) {
        std::mt19937_64 random(c.seed);
        x_.fill(random, 1), dy_.fill(random, 1);
        const double infinity = std::numeric_limits<double>::infinity();
        if (c.with_nan)
            x_[random() % x_.size()] = nearest<T>(std::nan("")),
                          x_[random() % x_.size()] = nearest<T>(infinity);
        else
            for (int i = 0; i < 5; ++i) x_[random() % x_.size()] = nearest<T>(-infinity);
        for (std::size_t i = 0; i + 1 < x_.size(); i += 3) x_[i + 1] = x_[i];  // equal neighbours
    }

    std::string run() {
        auto device = device_of<Arch>(2, 64);
        std::string wrong;
        try {
            max_pool<T>(device, c_.problem, {x_.data(), y_.data(), indices_.data()});
            wrong = wrong_max();
            max_pool_gradient<T>(device, c_.problem, {dy_.data(), indices_.data(), dx_.data()});
            wrong += image_difference("max_pool_gradient", dx_, gradient_of_max());
            const std::vector<T> with_indices(y_.data(), y_.data() + y_.size());
            max_pool<T>(device, c_.problem, {x_.data(), y_.data()});
            if (std::memcmp(with_indices.data(), y_.data(), y_.size() * sizeof(T)) != 0)
                wrong += "without indices the largest are others; ";
            avg_pool<T>(device, c_.problem, {x_.data(), y_.data()});
            wrong += image_difference("avg_pool", y_, means());
            avg_pool_gradient<T>(device, c_.problem, {dy_.data(), dx_.data()});
            wrong += image_difference("avg_pool_gradient", dx_, gradient_of_means());
        } catch (const error& e) {
            return wrong + "refused: " + e.what();
        }
        return wrong;
    }

private:
    std::size_t count(const spatial& size) const {
        return std::size_t(p_.batch * p_.channels * size.volume());
    }
    std::size_t x_at(index n, int c, const std::array<int, 3>& at) const {
        return image_at(p_.layout, p_.channels, p_.input, n, c, at);
    }
    template <class F>
    void each_window(F f) const {
        each_element(p_.batch, p_.channels, p_.output(), [&](index n, int c, const std::array<int, 3>& o) {
            f(image_at(p_.layout, p_.channels, p_.output(), n, c, o), n, c, o);
        });
    }
    seen_pixels seen(int axis, int o) const {
        const auto of = [&](const auto& s) { return axis == 0 ? s.d : axis == 1 ? s.h : s.w; };
        const int stride = of(p_.stride) ? of(p_.stride) : of(p_.window), before = of(p_.pad);
        return {o * stride - before, of(p_.dilation), of(p_.window),
                of(p_.input),        before,          of(p_.pad_end) < 0 ? before : of(p_.pad_end)};
    }
    /// f(pixel) for what a window sees of the image; what it returns: how many taps are in the room, too.
    template <class F>
    int each_tap(const std::array<int, 3>& o, F f) const {
        const seen_pixels d = seen(0, o[0]), h = seen(1, o[1]), w = seen(2, o[2]);
        int room = 0;
        for (int i = 0; i < d.count; ++i)
            for (int j = 0; j < h.count; ++j)
                for (int k = 0; k < w.count; ++k) {
                    room += d.in_room(i) && h.in_room(j) && w.in_room(k);
                    if (d.inside(i) && h.inside(j) && w.inside(k)) f(std::array{d.at(i), h.at(j), w.at(k)});
                }
        return room;
    }

    std::string wrong_max() {
        std::string wrong;
        each_window([&](std::size_t y, index n, int c, const std::array<int, 3>& o) {
            double best = -std::numeric_limits<double>::infinity();
            int place = -1;
            each_tap(o, [&](const std::array<int, 3>& at) {
                const double x = value_of(x_[x_at(n, c, at)]);
                if (place >= 0 && !(x > best) && !(std::isnan(x) && !std::isnan(best))) return;
                best = x, place = (at[0] * p_.input.h + at[1]) * p_.input.w + at[2];
            });
            const double got = value_of(y_[y]);
            if (!(got == best || (std::isnan(got) && std::isnan(best)))) wrong = "max_pool is wrong; ";
            if (indices_[y] != place) wrong += "an index is wrong; ";
        });
        if (y_.overrun()) wrong += "something beside y was written; ";
        return wrong.substr(0, 60);
    }
    std::vector<bounded> gradient_of_max() {
        std::vector<bounded> dx(x_.size());
        each_window([&](std::size_t y, index n, int c, const std::array<int, 3>&) {
            const int place = indices_[y], w = place % p_.input.w, h = place / p_.input.w % p_.input.h;
            if (place < 0) return;
            bounded& to = dx[x_at(n, c, {place / p_.input.w / p_.input.h, h, w})];
            to = plus(to, value_of(dy_[y]));
        });
        return dx;
    }
    std::vector<bounded> means() {
        std::vector<bounded> out(y_.size());
        each_window([&](std::size_t y, index n, int c, const std::array<int, 3>& o) {
            double sum = 0, magnitude = 0;
            int inside = 0;
            const int room = each_tap(o, [&](const std::array<int, 3>& at) {
                const double x = value_of(x_[x_at(n, c, at)]);
                sum += x, magnitude += std::fabs(x), ++inside;
            });
            const int by = p_.count_include_pad ? room : inside;
            const double share = by ? 1.0 / by : 0;
            out[y] = {sum * share, (inside + 2) * unit_roundoff<float> * magnitude * share};
        });
        return out;
    }
    std::vector<bounded> gradient_of_means() {
        std::vector<bounded> dx(x_.size());
        each_window([&](std::size_t y, index n, int c, const std::array<int, 3>& o) {
            int inside = 0;
            const int room = each_tap(o, [&](const auto&) { ++inside; });
            const int by = p_.count_include_pad ? room : inside;
            each_tap(o, [&](const std::array<int, 3>& at) {
                const double part = value_of(dy_[y]) / by;
                bounded& to = dx[x_at(n, c, at)];
                to = plus({to.value, to.error + 2 * unit_roundoff<float> * std::fabs(part)}, part);
            });
        });
        return dx;
    }

    pool_case c_;
    pool_problem p_;
    guarded<T> x_, dy_, y_, dx_;
    std::vector<int> indices_;
};

}  // namespace fade::test
