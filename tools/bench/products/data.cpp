#include "data.hpp"
#include "../hash.hpp"
#include "../inputs.hpp"
#include "weights.hpp"
#include <algorithm>
#include <cmath>

namespace fade::bench {
namespace {

using kind = product_kind;

constexpr index scale_depth = 128;
/// Values of 8-bit floats before their scales: far from both ends.
constexpr double stored_size = 16;

const element& f32_element() { return element_of(fade::dtype::f32); }
const element& i32_element() { return element_of(fade::dtype::i32); }
index parts_of(index k) { return (k + scale_depth - 1) / scale_depth; }

matrix with_scale(double scale, matrix m) {
    m.scale = scale;
    return m;
}

/// Results are near 1 where both factors have this size.
double size_of_factor(index k) { return std::pow(std::max(1.0, double(k)), -0.25); }

void add_scaled(std::vector<matrix>& out, const product_request& r) {
    out.push_back(with_scale(stored_size, packed("a", r.in, 1, r.m, r.k)));
    out.push_back(with_scale(stored_size, packed("b", r.in, 1, r.n, r.k)));
    out.push_back(packed("scale_a", &f32_element(), 1, r.m, parts_of(r.k)));
    out.push_back(packed("scale_b", &f32_element(), 1, (r.n + scale_depth - 1) / scale_depth, parts_of(r.k)));
}

void add_mixture(std::vector<matrix>& out, const product_request& r) {
    out.push_back(packed("a", r.in, 1, r.m, r.k));
    out.push_back(packed("logits", r.in, 1, r.m, r.groups));
    out.push_back(with_scale(std::pow(std::max(1.0, double(r.k)), -0.5),
                             packed("b", r.in, r.groups, r.columns_of_b(), r.k)));
    out.push_back(
        with_scale(2 * std::pow(std::max(1.0, double(r.n)), -0.5), packed("down", r.in, r.groups, r.k, r.n)));
}

void add_along_k(std::vector<matrix>& out, const product_request& r) {
    const double size = size_of_factor(r.k / std::max(1, r.groups));
    out.push_back(with_scale(size, packed("a", r.in, 1, r.k, r.m)));
    out.push_back(with_scale(size, packed("b", r.in, 1, r.k, r.n)));
    out.push_back(packed("ends", &i32_element(), 1, 1, r.groups));
}

void add_inputs(std::vector<matrix>& out, const product_request& r) {
    const double size = size_of_factor(r.k);
    if (r.op == kind::scaled_gemm) return add_scaled(out, r);
    if (r.op == kind::moe) return add_mixture(out, r);
    if (r.is_along_k()) return add_along_k(out, r);
    out.push_back(with_scale(size, packed("a", r.in, r.batch, r.m, r.k)));
    if (r.format)
        for (matrix& m : weight_matrices(*r.format, r.n, r.k, std::max(1, r.groups)))
            out.push_back(std::move(m));
    else
        out.push_back(with_scale(size, packed("b", r.in, r.batch * std::max(1, r.groups), r.n, r.k)));
    if (has_groups_of_b(r.op)) out.push_back(packed("ends", &i32_element(), 1, 1, r.groups));
    if (r.op != kind::batched_gemm) return;
    for (const char* name : {"a_table", "b_table", "d_table"}) {
        out.push_back(packed(name, &i32_element(), 1, r.batch, 2));
        out.back().addresses = true;
    }
}

void add_outputs(std::vector<matrix>& out, const product_request& r) {
    out.push_back(packed("d", r.out, 1, r.rows_of_d(), r.columns_of_d()));
    if (r.op != kind::moe) return;
    out.push_back(packed("choices", &i32_element(), 1, r.m, r.top_k));
    out.push_back(packed("shares", &f32_element(), 1, r.m, r.top_k));
    out.push_back(packed("ends", &i32_element(), 1, 1, r.groups));
    out.push_back(packed("row_list", &i32_element(), 1, 1, r.rows_of_groups()));
    out.push_back(packed("slots", &i32_element(), 1, r.m, r.top_k));
    out.push_back(packed("inner", r.in, 1, r.rows_of_groups(), r.n));
    out.push_back(packed("made", r.in, 1, r.rows_of_groups(), r.k));
}

/// Where each group ends: all have as many rows, some have many and others few, or one has all.
void fill_ends(const buffer& to, const product_request& r) {
    std::vector<index> rows(std::size_t(r.groups));
    for (index i = 0; i < r.rows_in_groups(); ++i) {
        const double drawn = double(mixed(mixed(r.seed) + std::uint64_t(i)) >> 11) * 0x1p-53;
        const index group = r.rows == group_rows::even     ? i * r.groups / r.rows_in_groups()
                            : r.rows == group_rows::random ? index(drawn * drawn * r.groups)
                                                           : r.groups / 2;
        ++rows[std::size_t(group)];
    }
    index end = 0;
    for (int g = 0; g < r.groups; ++g)
        reinterpret_cast<int*>(to.data())[g] = int(end += rows[std::size_t(g)]);
}

/// Where the matrices of each product of a batch lie.
void fill_table(const buffer& to, const buffer& of, const product_request& r) {
    const index bytes = index(of.shape().bytes()) / r.batch;
    for (index p = 0; p < r.batch; ++p)
        reinterpret_cast<std::byte**>(to.data())[p] =
            of.data() + matrix_of_product(r, of.shape().name, p) * bytes;
}

/// Random logits; of the experts that every token is to get, larger ones.
void fill_logits(const buffer& to, const product_request& r) {
    fill(to, r.seed, 0);
    if (r.rows == group_rows::random) return;
    for (index t = 0; t < r.m; ++t)
        for (index j = 0; j < r.top_k; ++j) {
            const index wanted = (r.rows == group_rows::even ? t * r.top_k + j : j) % r.groups;
            std::byte* at = to.data() + (t * r.groups + wanted) * r.in->bytes;
            double x;
            r.in->decode(at, 0, 1, 1, &x);
            x += 16;
            r.in->encode(&x, at, 1);
        }
}

/// Scales from half to one and a half of what makes factors of the right size.
void fill_scales(const buffer& to, const product_request& r) {
    const matrix& m = to.shape();
    const std::uint64_t key = mixed(mixed(r.seed) ^ hash_of(m.name.data(), m.name.size()));
    for (index i = 0; i < m.count(); ++i) {
        const double drawn = double(mixed(key + std::uint64_t(i)) >> 11) * 0x1p-53;
        reinterpret_cast<float*>(to.data())[i] = float(size_of_factor(r.k) / stored_size * (0.5 + drawn));
    }
}

void make(const buffer& b, const product_request& r) {
    const std::string& name = b.shape().name;
    if (b.shape().empty() || b.shape().addresses) return;
    if (name == "ends") return fill_ends(b, r);
    if (name == "logits") return fill_logits(b, r);
    if (name == "scale_a" || name == "scale_b") return fill_scales(b, r);
    if (r.format && name != "a") return fill_weights(*r.format, b, size_of_factor(r.k), r.seed);
    fill(b, r.seed, 0);
}

template <class Address>
product_call call_with(const product_request& r, const Address& address) {
    product_call call{.op = r.op,
                      .format = r.format,
                      .gate = r.gate,
                      .strict = r.strict,
                      .m = r.m,
                      .n = r.n,
                      .k = r.k,
                      .groups = r.groups,
                      .top_k = r.top_k,
                      .split_k = r.split_k,
                      .batch = r.batch};
    for (std::size_t i = 0; i < call.memory.size(); ++i) call.memory[i] = address(product_slot_names[i]);
    return call;
}

}  // namespace

std::vector<matrix> matrices_of(const product_request& r) {
    std::vector<matrix> out;
    add_inputs(out, r);
    const std::size_t read = out.size();
    add_outputs(out, r);
    for (std::size_t i = read; i < out.size(); ++i) out[i].written = true;
    return out;
}

product_data::product_data(const product_request& r) {
    for (matrix& m : matrices_of(r)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) make(b, r);
    }
    for (const buffer& b : buffers_.all())
        if (const std::string& name = b.shape().name; b.shape().addresses)
            fill_table(b, *buffers_.find(name.substr(0, name.find('_'))), r);
    call_ = call_with(r, [&](std::string_view name) { return buffers_.address(name); });
}

index matrix_of_product(const product_request& r, std::string_view name, index product) {
    const std::uint64_t from = mixed(mixed(r.seed) ^ hash_of(name.data(), name.size()));
    return (index(from % std::uint64_t(r.batch)) + r.batch - 1 - product) % r.batch;
}

product_call call_without_memory(const product_request& r) {
    const std::vector<matrix> held = matrices_of(r);
    std::uintptr_t next = 0;
    return call_with(r, [&](std::string_view name) -> std::byte* {
        if (std::ranges::count(held, name, &matrix::name) == 0) return nullptr;
        return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58);  // beyond any machine's memory
    });
}

std::vector<double> numbers_of(const buffer& from) {
    const matrix& m = from.shape();
    std::vector<double> out(std::size_t(m.count()));
    m.type->decode(from.data(), 0, 1, m.count(), out.data());
    return out;
}

}  // namespace fade::bench
