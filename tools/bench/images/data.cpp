#include "data.hpp"
#include "../hash.hpp"
#include "../inputs.hpp"
#include "reference.hpp"
#include <algorithm>
#include <cmath>

namespace fade::bench {
namespace {

using enum image_operator;

/// The tensors of one problem, each of a shape that several have.
class tensor_list {
public:
    explicit tensor_list(const image_request& r) : r_(r), p_(r.problem) {}

    tensor_list& of_x(const char* name) { return images(name, r_.in, p_.input()); }
    tensor_list& of_y(const char* name) { return images(name, r_.in, p_.output()); }
    tensor_list& indices() { return images("indices", &element_of(fade::dtype::i32), p_.output()); }
    tensor_list& vector(const char* name) { return add(name, &f32(), 1, 1, p_.channels()); }
    tensor_list& points(const char* name) {
        return add(name, &f32(), p_.batch(), p_.output().volume(), r_.dims);
    }
    /// Those that follow are written.
    tensor_list& writes() {
        written_ = true;
        return *this;
    }
    std::vector<matrix> done() { return std::move(all_); }

private:
    static const element& f32() { return element_of(fade::dtype::f32); }
    tensor_list& images(const char* name, const element* type, const spatial& size) {
        const index pixels = size.volume(), channels = p_.channels();
        return p_.channels_first() ? add(name, type, p_.batch(), channels, pixels)
                                   : add(name, type, p_.batch(), pixels, channels);
    }
    tensor_list& add(const char* name, const element* type, index batch, index rows, index columns) {
        all_.push_back(packed(name, type, batch, rows, columns));
        all_.back().written = written_;
        return *this;
    }
    const image_request& r_;
    const image_problem& p_;
    std::vector<matrix> all_;
    bool written_ = false;
};

std::vector<matrix> tensors_forward(const image_request& r) {
    tensor_list t(r);
    t.of_x("x");
    if (r.problem.op == grid_sample) t.points("grid");
    if (r.problem.norms()) t.vector("weight").vector("bias");
    if (r.problem.op == batch_norm_inference) t.vector("mean").vector("variance");
    t.writes().of_y("y");
    if (r.problem.op == max_pool) t.indices();
    if (r.problem.op == batch_norm) t.vector("mean").vector("inverse_root");
    return t.done();
}

std::vector<matrix> tensors_backward(const image_request& r) {
    tensor_list t(r);
    if (r.problem.op == batch_norm)
        return t.of_x("x")
            .vector("weight")
            .vector("mean")
            .vector("inverse_root")
            .of_y("dy")
            .writes()
            .of_x("dx")
            .vector("dweight")
            .vector("dbias")
            .done();
    if (r.problem.op == grid_sample)
        return t.of_x("x").points("grid").of_y("dy").writes().of_x("dx").points("dgrid").done();
    t.of_y("dy");
    if (r.problem.op == max_pool) t.indices();
    return t.writes().of_x("dx").done();
}

/// The call for a request; `address(name)` says where a tensor lies, or null.
template <class Address>
image_call call_with(const image_request& r, const Address& address) {
    image_call call{.problem = r.problem, .strict = r.strict};
    for (std::size_t i = 0; i < call.memory.size(); ++i) call.memory[i] = address(image_tensor_names[i]);
    return call;
}

/// A number of [0, limit) that the place in a tensor draws.
index drawn(const image_request& r, std::uint64_t salt, index place, index limit) {
    return index(mixed(mixed(r.seed ^ mixed(salt)) + std::uint64_t(place)) % std::uint64_t(limit));
}

/// Each channel of images gets a mean of its own, which is not 0.
void move_channels(const buffer& b, const image_request& r) {
    const matrix& m = b.shape();
    std::vector<double> row(std::size_t(m.columns));
    for (index i = 0; i < m.batch * m.rows; ++i) {
        const index first = i * m.columns;
        m.type->decode(b.data(), first, 1, m.columns, row.data());
        for (index j = 0; j < m.columns; ++j)
            row[std::size_t(j)] += double(drawn(r, 4, r.problem.channels_first() ? i % m.rows : j, 9)) - 4;
        m.type->encode(row.data(), b.data() + first * m.type->bytes, m.columns);
    }
}

template <class T>
T* elements(const buffer& b) {
    return reinterpret_cast<T*>(b.data());
}

}  // namespace

std::vector<matrix> tensors_of(const image_request& r) {
    return r.problem.backward ? tensors_backward(r) : tensors_forward(r);
}

std::vector<std::string_view> names_written(const image_problem& p) {
    image_request typed;
    typed.problem = p, typed.in = typed.out = &element_of(fade::dtype::f32);
    std::vector<std::string_view> out;
    for (const matrix& m : tensors_of(typed))
        if (m.written) out.push_back(*std::ranges::find(image_tensor_names, std::string_view(m.name)));
    return out;
}

plane_place plane_of(const image_problem& p, const spatial& size, index image, int channel) {
    const index pixels = size.volume(), channels = p.channels();
    if (p.channels_first()) return {(image * channels + channel) * pixels, 1, pixels};
    return {image * pixels * channels + channel, channels, pixels};
}

image_data::image_data(const image_request& r) : request_(&r) {
    for (matrix& m : tensors_of(r)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) make(b);
    }
    call_ = call_with(r, [&](std::string_view name) { return buffers_.address(name); });
}

std::vector<double> image_data::values(std::string_view tensor, const plane_place& at) const {
    const buffer& b = *buffers_.find(tensor);
    std::vector<double> out(std::size_t(at.count));
    b.shape().type->decode(b.data(), at.first, at.step, at.count, out.data());
    return out;
}

/// Tensors are random; what the forward pass leaves is what it must be.
void image_data::make(const buffer& b) {
    const std::string& name = b.shape().name;
    if (b.shape().empty()) return;
    if (name == "grid") return make_grid(b);
    if (name == "indices") return make_indices(b);
    const bool given = request_->problem.op == batch_norm_inference;
    if (!given && (name == "mean" || name == "inverse_root")) return make_statistics(b);
    fill(b, request_->seed, 0);
    if (name == "x" && request_->problem.norms()) move_channels(b, *request_);
    if (name == "variance")
        for (index i = 0; i < b.shape().columns; ++i)
            elements<float>(b)[i] = std::abs(elements<float>(b)[i]) + 0.1f;
}

/// Points in and somewhat around the image, at least a twentieth of a pixel away from where the choice of a
/// pixel, or a slope, jumps: f32 may be on the other side there.
void image_data::make_grid(const buffer& b) const {
    const image_problem& p = request_->problem;
    const int sizes[] = {p.input().w, p.input().h, p.input().d};
    for (index i = 0; i < b.shape().count(); ++i) {
        const int size = sizes[i % request_->dims], around = 1 + size / 10;
        const double pixel = double(drawn(*request_, 1, i, size + 2 * around) - around);
        const double part = double(drawn(*request_, 2, i, 1000)) / 999;
        const double at = pixel + (part < 0.5 ? 0.05 + 0.8 * part : 0.15 + 0.8 * part);
        const double g = p.grid.align_corners ? 2 * at / std::max(size - 1, 1) - 1 : (2 * at + 1) / size - 1;
        elements<float>(b)[i] = float(g);
    }
}

/// A tap of each window that lies in the image, or -1.
void image_data::make_indices(const buffer& b) const {
    const pool_problem& p = request_->problem.pool;
    const spatial size = p.output();
    const auto tap_in = [&](std::uint64_t salt, index place, index o, int taps, int stride, int dilation,
                            int pad, int input) -> index {
        const int first = int(drawn(*request_, salt, place, taps));
        for (int t = 0; t < taps; ++t) {
            const index at = pool_pixel(o, (first + t) % taps, stride, dilation, pad);
            if (at >= 0 && at < input) return at;
        }
        return -1;
    };
    for (index n = 0; n < p.batch; ++n)
        for (int c = 0; c < p.channels; ++c) {
            const plane_place at = plane_of(request_->problem, size, n, c);
            for (index o = 0; o < at.count; ++o) {
                const index place = at.first + o * at.step;
                const index d = tap_in(1, place, o / (index(size.h) * size.w), p.window.d, p.stride.d,
                                       p.dilation.d, p.pad.d, p.input.d),
                            h = tap_in(2, place, o / size.w % size.h, p.window.h, p.stride.h, p.dilation.h,
                                       p.pad.h, p.input.h),
                            w = tap_in(3, place, o % size.w, p.window.w, p.stride.w, p.dilation.w, p.pad.w,
                                       p.input.w);
                elements<int>(b)[place] =
                    std::min({d, h, w}) < 0 ? -1 : int((d * p.input.h + h) * p.input.w + w);
            }
        }
}

void image_data::make_statistics(const buffer& b) const {
    const image_problem& p = request_->problem;
    const double count = double(p.batch()) * double(p.input().volume());
    for (int c = 0; c < p.channels(); ++c) {
        double sum = 0, squares = 0;
        const auto each = [&](const auto& f) {
            for (index n = 0; n < p.batch(); ++n)
                for (double v : values("x", plane_of(p, p.input(), n, c))) f(v);
        };
        each([&](double v) { sum += v; });
        const double mean = sum / count;
        each([&](double v) { squares += (v - mean) * (v - mean); });
        elements<float>(b)[c] =
            b.shape().name == "mean" ? float(mean) : float(1 / std::sqrt(squares / count + p.norm.epsilon));
    }
}

image_call call_without_memory(const image_request& r) {
    const std::vector<matrix> held = tensors_of(r);
    std::uintptr_t next = 0;
    return call_with(r, [&](std::string_view name) -> std::byte* {
        if (std::ranges::count(held, name, &matrix::name) == 0) return nullptr;
        return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58);  // beyond any machine's memory
    });
}

}  // namespace fade::bench
