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

/// The tensors of one problem, each of a shape that many have.
class tensor_list {
public:
    explicit tensor_list(const rows_request& r) : r_(r) {}

    tensor_list& whole(const char* name, const element* type) { return add(name, type, r_.rows, r_.columns); }
    tensor_list& of_columns(const char* name) { return add(name, r_.in, 1, r_.columns); }
    tensor_list& of_rows(const char* name, const element* type) { return add(name, type, 1, r_.rows); }
    /// One value, or the k best, of each row or column.
    tensor_list& of_lines(const char* name, const element* type) { return add(name, type, 1, r_.lines()); }
    tensor_list& best(const char* name, const element* type) {
        return r_.of_columns ? add(name, type, *r_.k, r_.columns) : add(name, type, r_.rows, *r_.k);
    }
    /// Those that follow are written.
    tensor_list& writes() {
        written_ = true;
        return *this;
    }
    std::vector<matrix> done() { return std::move(all_); }

private:
    tensor_list& add(const char* name, const element* type, index rows, index columns) {
        all_.push_back(packed(name, type, 1, rows, columns));
        all_.back().written = written_;
        return *this;
    }
    const rows_request& r_;
    std::vector<matrix> all_;
    bool written_ = false;
};

std::vector<matrix> tensors_forward(const rows_request& r) {
    tensor_list t(r);
    t.whole("x", r.in);
    if (r.norm()) {
        t.of_columns("weight");
        if (r.op == row_operator::layer_norm) t.of_columns("bias");
        if (r.residual) t.whole("residual", r.in);
        t.writes().whole("y", r.out);
        if (r.residual) t.whole("sum", r.in);
    } else if (r.op == row_operator::cross_entropy) {
        t.of_rows("labels", &i32_element()).writes().of_rows("loss", &f32_element());
    } else if (r.op == row_operator::top_k) {
        t.writes().best("y", r.out).best("places", &i32_element());
    } else if (r.op == row_operator::argmax) {
        t.writes().of_lines("places", r.out);
    } else {
        t.writes();
        r.reduces() ? t.of_lines("y", r.out) : t.whole("y", r.out);
    }
    return t.done();
}

std::vector<matrix> tensors_backward(const rows_request& r) {
    tensor_list t(r);
    if (r.norm()) {
        const bool layer = r.op == row_operator::layer_norm;
        t.whole("x", r.in).whole("dy", r.out).of_columns("weight").of_rows("inverse_root", &f32_element());
        if (layer) t.of_rows("mean", &f32_element());
        if (r.residual) t.whole("dsum", r.out);
        t.writes().whole("dx", r.out).of_columns("dweight");
        if (layer) t.of_columns("dbias");
        return t.done();
    }
    if (r.op == row_operator::cross_entropy)
        t.whole("x", r.in)
            .of_rows("labels", &i32_element())
            .of_rows("log_sum", &f32_element())
            .of_rows("dloss", &f32_element());
    else
        t.whole("y", r.in).whole("dy", r.in);
    return t.writes().whole("dx", r.out).done();
}

/// The call for a request; `address(name)` says where a tensor lies, or null.
template <class Address>
rows_call call_with(const rows_request& r, const Address& address) {
    rows_call call{.op = r.op,
                   .backward = r.backward,
                   .of_columns = r.of_columns,
                   .strict = r.strict,
                   .rows = r.rows,
                   .columns = r.columns,
                   .k = r.k.value_or(1)};
    for (std::size_t i = 0; i < call.memory.size(); ++i) call.memory[i] = address(row_tensor_names[i]);
    return call;
}

/// Some rows are to be ignored.
void make_labels(const buffer& b, index columns, std::uint64_t seed) {
    int* labels = reinterpret_cast<int*>(b.data());
    for (index i = 0; i < b.shape().columns; ++i) {
        const std::uint64_t drawn = mixed(mixed(seed) + std::uint64_t(i));
        const bool ignored = columns == 0 || drawn % 13 == 0;
        labels[i] = ignored ? ignored_row_label : int((drawn >> 8) % std::uint64_t(columns));
    }
}

double log_sum_of(const std::vector<double>& x) {
    const double largest = x.empty() ? 0 : *std::ranges::max_element(x);
    double sum = 0;
    for (double v : x) sum += std::exp(v - largest);
    return largest + std::log(sum);
}

double mean_of(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / double(std::max<std::size_t>(x.size(), 1));
}

/// Numbers of a row that the forward pass would have left.
double left_by_forward(std::string_view name, const rows_request& r, const std::vector<double>& x) {
    if (name == "log_sum") return log_sum_of(x);
    const double mean = r.op == row_operator::layer_norm ? mean_of(x) : 0;
    if (name == "mean") return mean;
    double squares = 0;
    for (double v : x) squares += (v - mean) * (v - mean);
    return 1 / std::sqrt(squares / double(std::max<std::size_t>(x.size(), 1)) + norm_epsilon);
}

/// Normal numbers become the softmax of their row, or its logarithm.
void make_softmax(const buffer& b, bool logarithm) {
    const matrix& m = b.shape();
    for (index row = 0; row < m.rows; ++row) {
        std::vector<double> values = row_of(b, row);
        const double log_sum = log_sum_of(values);
        for (double& v : values) v = logarithm ? v - log_sum : std::exp(v - log_sum);
        m.type->encode(values.data(), b.data() + m.at(0, row, 0) * m.type->bytes, m.columns);
    }
}

}  // namespace

std::vector<matrix> tensors_of(const rows_request& r) {
    return r.backward ? tensors_backward(r) : tensors_forward(r);
}

std::vector<std::string_view> names_written(const rows_request& r) {
    rows_request typed = r;
    typed.in = typed.out = &f32_element();
    std::vector<std::string_view> out;
    for (const matrix& m : tensors_of(typed))
        if (m.written) out.push_back(*std::ranges::find(row_tensor_names, std::string_view(m.name)));
    return out;
}

std::vector<double> values_of(const buffer& b, const line_place& at) {
    std::vector<double> out(at.count);
    b.shape().type->decode(b.data(), at.first, at.step, at.count, out.data());
    return out;
}

std::vector<double> row_of(const buffer& b, index row) {
    return values_of(b, {b.shape().at(0, row, 0), 1, b.shape().columns});
}

line_place place_of(const rows_request& r, const matrix& m, index line, index count) {
    const bool value = m.rows == 1 && m.columns == r.lines() && count == 1;
    if (value) return {line, 1, 1};
    if (r.of_columns) return {m.at(0, 0, line), m.row, count};
    return {m.at(0, line, 0), 1, count};
}

rows_data::rows_data(const rows_request& r) : request_(&r) {
    for (matrix& m : tensors_of(r)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) make(b);
    }
    call_ = call_with(r, [&](std::string_view name) { return buffers_.address(name); });
}

/// Tensors are random; labels and what the forward pass leaves are what they must be.
void rows_data::make(const buffer& b) {
    const rows_request& r = *request_;
    const std::string& name = b.shape().name;
    if (name == "labels") return make_labels(b, r.columns, r.seed);
    if (name == "log_sum" || name == "inverse_root" || name == "mean") {
        for (index row = 0; row < r.rows; ++row)
            reinterpret_cast<float*>(b.data())[row] =
                float(left_by_forward(name, r, row_of(*buffers_.find("x"), row)));
        return;
    }
    fill(b, r.seed, 0);
    if (name == "y") make_softmax(b, r.op == row_operator::log_softmax);
}

rows_call call_without_memory(const rows_request& r) {
    const std::vector<matrix> held = tensors_of(r);
    std::uintptr_t next = 0;
    return call_with(r, [&](std::string_view name) -> std::byte* {
        if (std::ranges::count(held, name, &matrix::name) == 0) return nullptr;
        return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58);  // beyond any machine's memory
    });
}

}  // namespace fade::bench
