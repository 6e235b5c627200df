#include "data.hpp"
#include "../hash.hpp"
#include "../inputs.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

using kind = primitive_kind;

const element& i32_element() { return element_of(fade::dtype::i32); }

/// The list, and what stands beside it in some primitives.
void add_inputs(std::vector<matrix>& out, const primitive_request& r) {
    out.push_back(packed("x", r.in, 1, 1, r.count));
    if (r.op == kind::sort_pairs) out.push_back(packed("values", &i32_element(), 1, 1, r.count));
    if (r.op == kind::select) out.push_back(packed("flags", &element_of(fade::dtype::i8), 1, 1, r.count));
    if (r.op == kind::segmented_reduce)
        out.push_back(packed("offsets", &i32_element(), 1, 1, r.segments() + 1));
}

void add_outputs(std::vector<matrix>& out, const primitive_request& r) {
    const element* sum = r.in->bytes < 4 ? &element_of(fade::dtype::f32) : r.in;
    const bool reduces = r.op == kind::reduce || r.op == kind::segmented_reduce;
    const index results = r.op == kind::reduce             ? 1
                          : r.op == kind::segmented_reduce ? r.segments()
                          : r.op == kind::top_k            ? r.k.value_or(1)
                                                           : r.count;
    if (r.op != kind::histogram) out.push_back(packed("y", reduces ? sum : r.in, 1, 1, results));
    if (r.op == kind::histogram) out.push_back(packed("counts", &i32_element(), 1, 1, histogram_bins));
    if (r.op == kind::sort_pairs || r.op == kind::top_k)
        out.push_back(packed("places", &i32_element(), 1, 1, results));
    if (r.op == kind::select) out.push_back(packed("selected", &i32_element(), 1, 1, 1));
}

void make(const buffer& b, const primitive_request& r) {
    const matrix& m = b.shape();
    if (m.name == "x") return fill(b, r.seed, 0);
    for (index i = 0; i < m.columns; ++i) {
        const std::uint64_t drawn = mixed(mixed(r.seed) + std::uint64_t(i));
        if (m.name == "flags")
            reinterpret_cast<std::int8_t*>(b.data())[i] = drawn % 2 == 0;
        else if (m.name == "values")
            reinterpret_cast<int*>(b.data())[i] = int(i);
        else  // edges of segments lie anywhere in their share
            reinterpret_cast<int*>(b.data())[i] =
                i == 0               ? 0
                : i == m.columns - 1 ? int(r.count)
                                     : int(std::min<index>(r.count, i * 256 - index(drawn % 256)));
    }
}

template <class Address>
primitive_call call_with(const primitive_request& r, const Address& address) {
    primitive_call call{
        .op = r.op, .strict = r.strict, .count = r.count, .segments = r.segments(), .k = r.k.value_or(0)};
    for (std::size_t i = 0; i < call.memory.size(); ++i) call.memory[i] = address(primitive_list_names[i]);
    return call;
}

}  // namespace

std::vector<matrix> lists_of(const primitive_request& r) {
    std::vector<matrix> out;
    add_inputs(out, r);
    const std::size_t read = out.size();
    add_outputs(out, r);
    for (std::size_t i = read; i < out.size(); ++i) out[i].written = true;
    return out;
}

std::vector<std::string_view> primitives_written(const primitive_request& r) {
    primitive_request typed = r;
    typed.in = typed.out = &element_of(fade::dtype::f32);
    std::vector<std::string_view> out;
    for (const matrix& m : lists_of(typed))
        if (m.written) out.push_back(*std::ranges::find(primitive_list_names, std::string_view(m.name)));
    return out;
}

primitive_data::primitive_data(const primitive_request& r) {
    for (matrix& m : lists_of(r)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) make(b, r);
    }
    call_ = call_with(r, [&](std::string_view name) { return buffers_.address(name); });
}

std::vector<double> primitive_data::list(std::string_view name) const {
    const buffer& b = *buffers_.find(name);
    std::vector<double> out(std::size_t(b.shape().columns));
    b.shape().type->decode(b.data(), 0, 1, b.shape().columns, out.data());
    return out;
}

primitive_call call_without_memory(const primitive_request& r) {
    const std::vector<matrix> held = lists_of(r);
    std::uintptr_t next = 0;
    return call_with(r, [&](std::string_view name) -> std::byte* {
        if (std::ranges::count(held, name, &matrix::name) == 0) return nullptr;
        return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58);  // beyond any machine's memory
    });
}

}  // namespace fade::bench
