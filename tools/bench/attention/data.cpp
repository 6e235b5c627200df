#include "data.hpp"
#include "../hash.hpp"
#include "../inputs.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace fade::bench {
namespace {

const element& f32_element() { return element_of(fade::dtype::f32); }
const element& i32_element() { return element_of(fade::dtype::i32); }

index pages_of_sequence(const attention_request& r) { return (r.seq_k + *r.page - 1) / *r.page; }

/// Rows of q and o (k and v): a batch of sequences, or what packed ones add up to.
matrix rows_of(std::string name, const element* type, const attention_request& r, index length, index heads,
               index dim) {
    if (r.lengths)
        return packed(std::move(name), type, 1,
                      std::accumulate(r.lengths->begin(), r.lengths->end(), index(0)) * heads, dim);
    return packed(std::move(name), type, r.batch, length * heads, dim);
}

matrix keys_of(std::string name, const attention_request& r, index dim) {
    if (r.page)
        return packed(std::move(name), r.in, r.batch * pages_of_sequence(r), *r.page * r.kv_heads, dim);
    return rows_of(std::move(name), r.in, r, r.seq_k, r.kv_heads, dim);
}

matrix written(matrix m) {
    m.written = true;
    return m;
}

/// Normal numbers become factors from 1/2 to 2.
void make_factors(float* numbers, index count) {
    for (index i = 0; i < count; ++i) numbers[i] = std::exp2(std::tanh(numbers[i]));
}

/// The call for a request; `address(name)` says where a tensor lies.
template <class Address>
attention_call call_with(const attention_request& r, const Address& address) {
    return {.problem = r.problem(),
            .q = address("q"),
            .k = address("k"),
            .v = address("v"),
            .o = address("o"),
            .lse = address("lse"),
            .alibi = r.alibi ? address("alibi") : nullptr,
            .bias = r.bias ? address("bias") : nullptr,
            .sink = r.sink ? address("sink") : nullptr,
            .scales_q = r.head_scales ? address("scales_q") : nullptr,
            .scales_k = r.head_scales ? address("scales_k") : nullptr,
            .scales_v = r.head_scales ? address("scales_v") : nullptr,
            .head_scales = r.head_scales.value_or(false),
            .lengths = r.lengths ? address("lengths") : nullptr,
            .table = r.page ? address("table") : nullptr,
            .starts = r.starts ? address("starts") : nullptr,
            .split_kv = r.split_kv.value_or(0),
            .strict = r.strict};
}

}  // namespace

std::vector<matrix> tensors_of(const attention_request& r) {
    std::vector<matrix> out = {rows_of("q", r.in, r, r.seq_q, r.heads, r.head_dim),
                               keys_of("k", r, r.head_dim), keys_of("v", r, r.value_dim()),
                               written(rows_of("o", r.out, r, r.seq_q, r.heads, r.value_dim())),
                               written(packed("lse", &f32_element(), r.batch, r.heads, r.seq_q))};
    if (r.lengths) out.push_back(packed("lengths", &i32_element(), 1, 1, r.batch + 1));
    if (r.page) out.push_back(packed("table", &i32_element(), 1, r.batch, pages_of_sequence(r)));
    if (r.starts) out.push_back(packed("starts", &i32_element(), 1, 1, r.batch));
    if (r.alibi) out.push_back(packed("alibi", &f32_element(), 1, 1, r.heads));
    if (r.bias) out.push_back(packed("bias", &f32_element(), r.batch * r.heads, r.seq_q, r.seq_k));
    if (r.sink) out.push_back(packed("sink", &f32_element(), 1, 1, r.heads));
    const auto factors = [&](const char* name, index heads) {
        out.push_back(packed(name, &f32_element(), 1, 1, *r.head_scales ? heads : 1));
    };
    if (r.head_scales)
        factors("scales_q", r.heads), factors("scales_k", r.kv_heads), factors("scales_v", r.kv_heads);
    return out;
}

attention_data::attention_data(const attention_request& r) : request_(&r) {
    for (index b = 0; b < r.batch; ++b)
        first_.push_back(b ? begins{first_.back().query + r.queries(b - 1), first_.back().key + r.keys(b - 1)}
                           : begins{0, 0});
    if (r.page) shuffle_pages(r.batch * pages_of_sequence(r));
    for (matrix& m : tensors_of(r)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) make(b);
    }
    call_ = call_with(r, [&](std::string_view name) { return buffers_.address(name); });
}

/// Tensors are random; lengths, tables and slopes are what they must be.
void attention_data::make(const buffer& b) {
    const attention_request& r = *request_;
    const matrix& m = b.shape();
    std::vector<double> values;
    if (m.name == "lengths") {
        for (const begins& f : first_) values.push_back(double(f.query));
        values.push_back(r.batch ? double(first_.back().query + r.queries(r.batch - 1)) : 0);
    } else if (m.name == "table") {
        values.assign(table_.begin(), table_.end());
    } else if (m.name == "starts") {
        values.assign(r.starts->begin(), r.starts->end());
    } else if (m.name == "alibi") {
        for (index h = 0; h < r.heads; ++h)
            values.push_back(std::exp2(-8.0 * double(h + 1) / double(r.heads)));
    } else {
        fill(b, r.seed, 0);
        if (m.name.starts_with("scales")) make_factors(reinterpret_cast<float*>(b.data()), m.columns);
        return;
    }
    m.type->encode(values.data(), b.data(), index(values.size()));
}

/// Fisher and Yates, with numbers that depend on nothing but the seed.
void attention_data::shuffle_pages(index pages) {
    table_.resize(std::size_t(pages));
    std::iota(table_.begin(), table_.end(), 0);
    for (index i = pages - 1; i > 0; --i)
        std::swap(table_[i],
                  table_[index(mixed(mixed(request_->seed) + std::uint64_t(i)) % std::uint64_t(i + 1))]);
}

index attention_data::key_row(index batch, index key, index head) const {
    const attention_request& r = *request_;
    if (!r.page) return (first_[batch].key + key) * r.kv_heads + head;
    const index page = table_[batch * pages_of_sequence(r) + key / *r.page];
    return (page * *r.page + key % *r.page) * r.kv_heads + head;
}

attention_call call_without_memory(const attention_request& r) {
    std::uintptr_t next = 0;
    return call_with(
        r, [&](std::string_view) { return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58); });
}

}  // namespace fade::bench
