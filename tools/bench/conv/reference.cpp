#include "reference.hpp"
#include "../../common/parallel.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

struct coordinates {
    int d, h, w;
};

coordinates in(const spatial& s, index pixel) {
    return {int(pixel / s.w / s.h), int(pixel / s.w % s.h), int(pixel % s.w)};
}

/// The number of a pixel; -1 beside the image.
index number_in(const spatial& s, const coordinates& at) {
    const bool inside = at.d >= 0 && at.h >= 0 && at.w >= 0 && at.d < s.d && at.h < s.h && at.w < s.w;
    return inside ? (index(at.d) * s.h + at.h) * s.w + at.w : -1;
}

/// The pixel of x under a tap, of one dimension. Sums of 32-bit sizes may be wider.
int under(int out, int stride, int pad, int tap, int dilation) {
    return int(std::clamp<index>(index(out) * stride - pad + index(tap) * dilation, -1, 2147483647));
}

/// The pixel of y that has this pixel of x under its tap; -1 where none has.
int over(int in, int stride, int pad, int tap, int dilation) {
    const index reach = index(in) + pad - index(tap) * dilation;
    return reach < 0 || reach % stride != 0 ? -1 : int(reach / stride);
}

/// The channels of all pixels as doubles, one pixel behind the other.
std::vector<double> values_of(const conv_tensor& t, const buffer& b) {
    std::vector<double> out(std::size_t(t.images * t.pixels * t.channels));
    tools::parallel_ranges(t.images * t.pixels, 4096, [&](index first, index last) {
        for (index i = first; i < last; ++i)
            b.shape().type->decode(b.data(), t.first(i / t.pixels, i % t.pixels), t.step(), t.channels,
                                   &out[std::size_t(i * t.channels)]);
    });
    return out;
}

/// Adds the last products first: a kernel in f64 that adds them in order would give the same bits, and no
/// difference would show that the two are two.
class conv_reference {
public:
    conv_reference(const conv_request& r, const conv_data& data,
                   const std::function<void(const reference_pixel&)>& visit)
        : r_(r), p_(r.problem), out_(p_.output()), visit_(visit) {
        const std::vector<conv_tensor> tensors = tensors_of(r);
        for (int i : {0, 1})
            read_[i] = values_of(tensors[std::size_t(i)], data.buffers().all()[std::size_t(i)]);
        if (r.pass == conv_pass::forward) turn_filter();
    }

    void row(index row) const {
        if (r_.pass == conv_pass::forward) return forward(row);
        if (r_.pass == conv_pass::backward_data) return backward_data(row);
        return backward_weights(row);
    }

private:
    int in_group() const { return p_.channels / p_.groups; }
    int out_group() const { return p_.filters / p_.groups; }
    index taps() const { return p_.filter.volume(); }

    /// The filter as [tap][channel of a group][filter].
    void turn_filter() {
        const std::vector<double> w = std::move(read_[1]);
        const index row = taps() * in_group(), filters = p_.filters;
        read_[1].resize(w.size());
        for (index f = 0; f < filters; ++f)
            for (index i = 0; i < row; ++i)
                read_[1][std::size_t(i * filters + f)] = w[std::size_t(f * row + i)];
    }

    coordinates x_under(const coordinates& o, const coordinates& t) const {
        return {under(o.d, p_.stride.d, p_.pad.d, t.d, p_.dilation.d),
                under(o.h, p_.stride.h, p_.pad.h, t.h, p_.dilation.h),
                under(o.w, p_.stride.w, p_.pad.w, t.w, p_.dilation.w)};
    }
    coordinates y_over(const coordinates& i, const coordinates& t) const {
        return {over(i.d, p_.stride.d, p_.pad.d, t.d, p_.dilation.d),
                over(i.h, p_.stride.h, p_.pad.h, t.h, p_.dilation.h),
                over(i.w, p_.stride.w, p_.pad.w, t.w, p_.dilation.w)};
    }
    void tell(index image, index pixel, const std::vector<double>& channels, index products) const {
        const double share = double(products) / double(std::max<index>(r_.depth(), 1));
        visit_({image, pixel, channels, share * double(channels.size())});
    }

    void forward(index row) const {
        const index image = row / out_.volume(), pixel = row % out_.volume();
        std::vector<double> y(static_cast<std::size_t>(p_.filters));
        index products = 0;
        for (index tap = taps() - 1; tap >= 0; --tap) {
            const index from = number_in(p_.input, x_under(in(out_, pixel), in(p_.filter, tap)));
            if (from < 0) continue;
            products += in_group();
            const double* x = read_[0].data() + (image * p_.input.volume() + from) * p_.channels;
            const double* w = read_[1].data() + tap * in_group() * p_.filters;
            for (int g = 0; g < p_.groups; ++g)
                for (int c = 0; c < in_group(); ++c)
                    for (int f = g * out_group(); f < (g + 1) * out_group(); ++f)
                        y[std::size_t(f)] += x[g * in_group() + c] * w[index(c) * p_.filters + f];
        }
        tell(image, pixel, y, products);
    }

    void backward_data(index row) const {
        const index image = row / p_.input.volume(), pixel = row % p_.input.volume();
        std::vector<double> dx(static_cast<std::size_t>(p_.channels));
        index products = 0;
        for (index tap = taps() - 1; tap >= 0; --tap) {
            const index from = number_in(out_, y_over(in(p_.input, pixel), in(p_.filter, tap)));
            if (from < 0) continue;
            products += out_group();
            const double* dy = read_[0].data() + (image * out_.volume() + from) * p_.filters;
            for (int f = 0; f < p_.filters; ++f) {
                const double* w = read_[1].data() + (f * taps() + tap) * in_group();
                double* to = dx.data() + index(f / out_group()) * in_group();
                for (int c = 0; c < in_group(); ++c) to[c] += dy[f] * w[c];
            }
        }
        tell(image, pixel, dx, products);
    }

    void backward_weights(index filter) const {
        const index first = filter / out_group() * in_group();
        for (index tap = 0; tap < taps(); ++tap) {
            std::vector<double> dw(static_cast<std::size_t>(in_group()));
            index products = 0;
            for (index o = p_.batch * out_.volume() - 1; o >= 0; --o) {
                const index image = o / out_.volume(),
                            from =
                                number_in(p_.input, x_under(in(out_, o % out_.volume()), in(p_.filter, tap)));
                if (from < 0) continue;
                ++products;
                const double dy = read_[1][std::size_t(o * p_.filters + filter)];
                const double* x = read_[0].data() + (image * p_.input.volume() + from) * p_.channels + first;
                for (int c = 0; c < in_group(); ++c) dw[std::size_t(c)] += dy * x[c];
            }
            tell(filter, tap, dw, products);
        }
    }

    const conv_request& r_;
    const conv_problem& p_;
    spatial out_;
    const std::function<void(const reference_pixel&)>& visit_;
    std::vector<double> read_[2];
};

}  // namespace

index rows_of(const conv_request& r) {
    const conv_tensor result = tensors_of(r).back();
    return r.pass == conv_pass::backward_weights ? result.images : result.images * result.pixels;
}

void compute_reference(const conv_request& r, const conv_data& data, const std::vector<index>& rows,
                       const std::function<void(const reference_pixel&)>& visit) {
    if (data.result().shape().empty()) return;
    const conv_reference reference(r, data, visit);
    const index count = index(rows.size()), grain = std::clamp<index>(count / 64, 1, 256);
    tools::parallel_ranges(count, grain, [&](index first, index last) {
        for (index i = first; i < last; ++i) reference.row(rows[std::size_t(i)]);
    });
}

std::uint64_t reference_bytes(const conv_request& r) {
    tools::big_size out{0};
    for (const matrix& m : matrices_of(r)) out = out + m.span() * tools::big_size{2 * sizeof(double)};
    return out.value;
}

}  // namespace fade::bench
