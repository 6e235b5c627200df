#include "data.hpp"
#include "../inputs.hpp"
#include <cmath>

namespace fade::bench {
namespace {

/// Which tensor a name means: a gradient has the shape of what it is a gradient of.
char kind_of(std::string_view name) { return name.back(); }

conv_tensor tensor_of(const conv_request& r, std::string name) {
    const conv_problem& p = r.problem;
    conv_tensor out{std::move(name), p.batch, p.input.volume(), p.channels, r.channels_first};
    if (kind_of(out.name) == 'y') out.pixels = p.output().volume(), out.channels = p.filters;
    if (kind_of(out.name) == 'w')
        out.images = p.filters, out.pixels = p.filter.volume(), out.channels = p.channels / p.groups;
    return out;
}

/// The call for a request; `address(name)` says where a tensor lies.
template <class Address>
conv_call call_with(const conv_request& r, const Address& address) {
    conv_call call{.pass = r.pass, .problem = r.problem, .algorithm = r.algorithm, .strict = r.strict};
    for (const conv_tensor& t : tensors_of(r)) {
        void*& at = kind_of(t.name) == 'x' ? call.x : kind_of(t.name) == 'w' ? call.w : call.y;
        at = address(t.name);
    }
    return call;
}

}  // namespace

std::string_view result_name(conv_pass pass) {
    constexpr std::string_view names[] = {"y", "dx", "dw"};
    return names[int(pass)];
}

std::vector<conv_tensor> tensors_of(const conv_request& r) {
    if (r.pass == conv_pass::forward) return {tensor_of(r, "x"), tensor_of(r, "w"), tensor_of(r, "y")};
    if (r.pass == conv_pass::backward_data)
        return {tensor_of(r, "dy"), tensor_of(r, "w"), tensor_of(r, "dx")};
    return {tensor_of(r, "x"), tensor_of(r, "dy"), tensor_of(r, "dw")};
}

std::vector<matrix> matrices_of(const conv_request& r) {
    std::vector<matrix> out;
    for (conv_tensor& t : tensors_of(r)) {
        const bool written = t.name == result_name(r.pass);
        out.push_back(packed(t.name, written ? r.out : r.in, t.images,
                             t.channels_first ? t.channels : t.pixels,
                             t.channels_first ? t.pixels : t.channels));
        out.back().written = written;
    }
    // Sums of so many products are near 1.
    out[0].scale = out[1].scale = std::pow(std::max(1.0, double(r.depth())), -0.25);
    return out;
}

conv_data::conv_data(const conv_request& r) {
    for (matrix& m : matrices_of(r)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) fill(b, r.seed, 0);
    }
    call_ = call_with(r, [&](std::string_view name) { return buffers_.address(name); });
}

conv_call call_without_memory(const conv_request& r) {
    std::uintptr_t next = 0;
    return call_with(r, [&](std::string_view) {
        return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58);  // beyond any machine's memory
    });
}

}  // namespace fade::bench
