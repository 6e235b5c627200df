#include "reference.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace fade::bench {
namespace {

using row_values = std::vector<double>;

double sum_of(const row_values& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

double size_of(const row_values& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

/// A row operator that reads its tensors by name.
class row_reference {
public:
    row_reference(const rows_request& r, const rows_data& data, index row)
        : r_(r), data_(data), row_(row), columns_(std::size_t(r.columns)) {}

    expected_row forward() {
        switch (r_.op) {
        case row_operator::rms_norm:
        case row_operator::layer_norm:
            norm();
            break;
        case row_operator::softmax:
        case row_operator::log_softmax:
            softmax(r_.op == row_operator::log_softmax);
            break;
        case row_operator::cross_entropy:
            cross_entropy();
            break;
        case row_operator::top_k:
            top_k();
            break;
        default:
            reduce();
        }
        return std::move(out_);
    }

    expected_row backward(weight_gradients& weights) {
        if (r_.norm())
            norm_gradient(weights);
        else if (r_.op == row_operator::cross_entropy)
            cross_entropy_gradient();
        else
            softmax_gradient();
        return std::move(out_);
    }

private:
    row_values whole(const char* name) const { return row_of(*data_.buffers().find(name), row_); }
    /// A vector that all rows share, or other values where the problem has none.
    row_values shared(const char* name, double otherwise) const {
        const buffer* b = data_.buffers().find(name);
        return b ? row_of(*b, 0) : row_values(columns_, otherwise);
    }
    double one(const char* name, double otherwise = 0) const {
        const buffer* b = data_.buffers().find(name);
        double out = otherwise;
        if (b) b->shape().type->decode(b->data(), row_, 1, 1, &out);
        return out;
    }

    /// x, or x and the residual as the type of x holds their sum.
    row_values normed() {
        row_values h = whole("x");
        if (!r_.residual || r_.backward) return h;
        const row_values more = whole("residual");
        for (std::size_t i = 0; i < columns_; ++i) h[i] += more[i];
        out_["sum"].value = h;
        std::vector<std::byte> held(columns_ * std::size_t(r_.in->bytes));
        r_.in->encode(h.data(), held.data(), r_.columns);
        r_.in->decode(held.data(), 0, 1, r_.columns, h.data());
        return h;
    }

    void norm() {
        const bool layer = r_.op == row_operator::layer_norm;
        const row_values h = normed(), weight = shared("weight", 1), bias = shared("bias", 0);
        const double count = std::max<double>(double(columns_), 1), mean = layer ? sum_of(h) / count : 0;
        double squares = 0;
        for (double v : h) squares += (v - mean) * (v - mean);
        const double root = 1 / std::sqrt(squares / count + norm_epsilon);
        expected_values& y = out_["y"];
        for (std::size_t i = 0; i < columns_; ++i) {
            y.value.push_back((h[i] - mean) * root * weight[i] + bias[i]);
            y.scale.push_back((std::abs(h[i]) + std::abs(mean)) * root * std::abs(weight[i]) +
                              std::abs(bias[i]));
        }
    }

    /// dx = root (g - mean(g) - n mean(g n)) + dsum, where g = dy weight and n is the normalised row.
    void norm_gradient(weight_gradients& weights) {
        const bool layer = r_.op == row_operator::layer_norm;
        row_values n = whole("x"), g = whole("dy");
        const row_values weight = shared("weight", 1),
                         dsum = r_.residual ? whole("dsum") : row_values(columns_);
        const double root = one("inverse_root"), mean = one("mean"), count = double(columns_);
        double products = 0;
        for (std::size_t i = 0; i < columns_; ++i) {
            n[i] = (n[i] - mean) * root;
            weights.dweight.add(index(i), g[i] * n[i]), weights.dbias.add(index(i), g[i]);
            g[i] *= weight[i];
            products += g[i] * n[i] / count;
        }
        const double level = layer ? sum_of(g) / count : 0;
        expected_values& dx = out_["dx"];
        for (std::size_t i = 0; i < columns_; ++i) {
            dx.value.push_back(root * (g[i] - level - n[i] * products) + dsum[i]);
            dx.scale.push_back(root * (std::abs(g[i]) + std::abs(level) + std::abs(n[i] * products)) +
                               std::abs(dsum[i]));
        }
    }

    double log_sum_of(const row_values& x) const {
        const double largest = *std::ranges::max_element(x);
        double sum = 0;
        for (double v : x) sum += std::exp(v - largest);
        return largest + std::log(sum);
    }

    void softmax(bool logarithm) {
        expected_values& y = out_["y"];
        y.value = whole("x");
        if (y.value.empty()) return;
        const double log_sum = log_sum_of(y.value);
        for (double& v : y.value) {
            if (logarithm) y.scale.push_back(std::abs(v) + std::abs(log_sum));
            v = logarithm ? v - log_sum : std::exp(v - log_sum);
        }
    }

    void softmax_gradient() {
        const bool logarithm = r_.op == row_operator::log_softmax;
        const row_values y = whole("y"), dy = whole("dy");
        double sum = 0, sizes = 0;
        for (std::size_t i = 0; i < columns_; ++i) {
            const double term = logarithm ? dy[i] : y[i] * dy[i];
            sum += term, sizes += term * term;
        }
        const double size = std::max(std::abs(sum), std::sqrt(sizes));
        expected_values& dx = out_["dx"];
        for (std::size_t i = 0; i < columns_; ++i) {
            const double p = logarithm ? std::exp(y[i]) : y[i];
            dx.value.push_back(logarithm ? dy[i] - p * sum : p * (dy[i] - sum));
            dx.scale.push_back(logarithm ? std::abs(dy[i]) + p * size : p * (std::abs(dy[i]) + size));
        }
    }

    void cross_entropy() {
        const row_values x = whole("x");
        const index label = index(one("labels"));
        expected_values& loss = out_["loss"];
        const bool ignored = label == ignored_row_label;
        const double log_sum = ignored ? 0 : log_sum_of(x), at_label = ignored ? 0 : x[std::size_t(label)];
        loss.value = {log_sum - at_label};
        loss.scale = {std::abs(log_sum) + std::abs(at_label)};
    }

    void cross_entropy_gradient() {
        const row_values x = whole("x");
        const index label = index(one("labels"));
        const double log_sum = one("log_sum"), factor = label == ignored_row_label ? 0 : one("dloss", 1);
        expected_values& dx = out_["dx"];
        for (std::size_t i = 0; i < columns_; ++i) {
            const double p = std::exp(x[i] - log_sum), target = index(i) == label ? 1 : 0;
            dx.value.push_back((p - target) * factor);
            dx.scale.push_back((p + target) * std::abs(factor));
        }
    }

    /// The elements that have results of their own.
    row_values line() const {
        const buffer& x = *data_.buffers().find("x");
        return values_of(x, place_of(r_, x.shape(), row_, r_.elements_of_line()));
    }

    /// One value of the line; sums are held against the size that random terms give them.
    void reduce() {
        const row_values x = line();
        const auto largest = std::ranges::max_element(x);  // the first of several
        const double divisor = r_.op == row_operator::mean ? double(x.size()) : 1;
        if (r_.op == row_operator::argmax)
            out_["places"].value = {double(largest - x.begin())};
        else if (r_.op == row_operator::max)
            out_["y"].value = {*largest};
        else
            out_["y"] = {{sum_of(x) / divisor}, {size_of(x) / divisor}};
    }

    void top_k() {
        const row_values x = line();
        std::vector<index> order(x.size());
        std::iota(order.begin(), order.end(), 0);
        const auto before = [&](index a, index b) {
            return x[std::size_t(a)] != x[std::size_t(b)] ? x[std::size_t(a)] > x[std::size_t(b)] : a < b;
        };
        std::partial_sort(order.begin(), order.begin() + *r_.k, order.end(), before);
        for (int i = 0; i < *r_.k; ++i) {
            out_["y"].value.push_back(x[std::size_t(order[std::size_t(i)])]);
            out_["places"].value.push_back(double(order[std::size_t(i)]));
        }
    }

    const rows_request& r_;
    const rows_data& data_;
    index row_;
    std::size_t columns_;
    expected_row out_;
};

}  // namespace

void column_sums::add(const column_sums& other) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += other.value[i], squares[i] += other.squares[i];
}

expected_row reference_of(const rows_request& r, const rows_data& data, index line,
                          weight_gradients& weights) {
    row_reference one(r, data, line);
    return r.backward ? one.backward(weights) : one.forward();
}

}  // namespace fade::bench
