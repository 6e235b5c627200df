// What workgroups that shared keys left, combined by a device, against sums in double precision.
#pragma once
#include "common/late_inputs.hpp"
#include <cmath>
#include <fade/attention.hpp>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace fade::test {

struct combine_case {
    int batch = 1, heads = 2, tile_heads = 1, seq_q = 3, columns = 40, splits = 5;
    bool variable = false;  // sequences of several lengths
    std::uint64_t seed = 1;

    std::size_t rows() const { return std::size_t(batch) * std::size_t(heads) * std::size_t(seq_q); }
    /// Where a split of a row stands: the rows of a tile stand together, split after split.
    std::size_t row_of(int b, int h, int q, int s) const {
        const int first = h / tile_heads * tile_heads;
        return (std::size_t(b) * std::size_t(heads) + std::size_t(first)) * std::size_t(splits) *
                   std::size_t(seq_q) +
               (std::size_t(s) * std::size_t(seq_q) + std::size_t(q)) * std::size_t(tile_heads) +
               std::size_t(h - first);
    }
};

inline std::ostream& operator<<(std::ostream& to, const combine_case& c) {
    return to << "batch " << c.batch << ", heads " << c.heads << " in tiles of " << c.tile_heads << ", "
              << c.seq_q << " queries, " << c.columns << " columns, " << c.splits << " splits"
              << (c.variable ? ", variable lengths" : "") << ", seed " << c.seed;
}

/// Averages, largest scores and sums of splits, some of which saw nothing; outputs stand poisoned.
struct combine_data {
    static constexpr float poison = 12345;
    const combine_case& c;
    std::vector<float> outputs, maxima, sums, o, lse;
    std::vector<int> lengths{0};

    explicit combine_data(const combine_case& of)
        : c(of), outputs(c.rows() * std::size_t(c.splits * c.columns)),
          maxima(c.rows() * std::size_t(c.splits)), sums(maxima.size()),
          o(c.rows() * std::size_t(c.columns), poison), lse(c.rows(), poison) {
        std::mt19937_64 random(c.seed);
        std::normal_distribution<float> normal;
        for (float& x : outputs) x = normal(random);
        const float size =
            random() % 4 == 0 ? 1e30f : 20;  // large ones differ by more than any sum makes up for
        for (std::size_t i = 0; i < maxima.size(); ++i)
            if (random() % 5 == 0)
                see_nothing(i);
            else
                maxima[i] = size * float(int(random() % 41) - 20) / 20,
                sums[i] = 1 + std::fabs(normal(random));
        if (random() % 2)  // a query that sees nothing
            for (int s = 0; s < c.splits; ++s) see_nothing(c.row_of(0, 0, 0, s));
        for (int b = 0; b < c.batch; ++b)
            lengths.push_back(lengths.back() + int(random() % unsigned(c.seq_q + 1)));
    }
    void see_nothing(std::size_t split) { maxima[split] = hidden_score, sums[split] = 0; }
    int length(int b) const {
        return c.variable ? lengths[std::size_t(b) + 1] - lengths[std::size_t(b)] : c.seq_q;
    }
    std::size_t output_row(int b, int q) const {
        return c.variable ? std::size_t(lengths[std::size_t(b)] + q) : std::size_t(b * c.seq_q + q);
    }

    kernel::attention_arguments<float, float> arguments() {
        kernel::attention_arguments<float, float> a{};
        a.o = o.data(), a.lse = lse.data(), a.seq_q = c.seq_q, a.heads = c.heads, a.group = 1,
        a.output_dim = c.columns, a.tile_heads = c.tile_heads;
        a.o_strides = {c.variable ? 0 : index(c.seq_q) * c.heads * c.columns, c.heads * c.columns, c.columns};
        a.splits = {c.splits, outputs.data(), maxima.data(), sums.data()};
        if (c.variable) a.lengths_q = lengths.data(), a.step_q = 1;
        return a;
    }

    /// Empty where one row is right.
    std::string wrong_row(int b, int h, int q) const {
        const auto at = [&](int s) { return c.row_of(b, h, q, s); };
        double largest = hidden_score, weight = 0, apart = 0, size = 0;
        for (int s = 0; s < c.splits; ++s) largest = std::max(largest, double(maxima[at(s)]));
        const auto weight_of = [&](int s) { return sums[at(s)] * std::exp(maxima[at(s)] - largest); };
        for (int s = 0; s < c.splits; ++s) weight += weight_of(s);
        for (int i = 0; i < c.columns; ++i) {
            double sum = 0;
            for (int s = 0; s < c.splits; ++s)
                sum += weight_of(s) * outputs[at(s) * std::size_t(c.columns) + std::size_t(i)];
            const double
                right = weight == 0 ? 0 : sum / weight,
                got = o[(output_row(b, q) * std::size_t(c.heads) + std::size_t(h)) * std::size_t(c.columns) +
                        std::size_t(i)];
            apart += (got - right) * (got - right), size += right * right;
        }
        const double logarithm = largest + std::log(weight),
                     got =
                         lse[(std::size_t(b) * std::size_t(c.heads) + std::size_t(h)) * std::size_t(c.seq_q) +
                             std::size_t(q)];
        if (!(std::sqrt(apart) <= 1e-5 * std::sqrt(size) + 1e-30))
            return "outputs are " + std::to_string(std::sqrt(apart / size)) + " apart";
        return logarithm == got || std::abs(logarithm - got) <= 1e-5 * (1 + std::abs(logarithm))
                   ? ""
                   : "the logarithm is " + std::to_string(got) + ", not " + std::to_string(logarithm);
    }
};

/// Empty if a device of one thread combines them right, though nothing is there before it is awaited.
template <class Device>
std::string wrong_combination(Device& device, const combine_case& c) {
    combine_data d(c);
    late_inputs inputs;
    inputs.add(d.outputs), inputs.add(d.maxima), inputs.add(d.sums), inputs.add(d.lengths);
    device.monitor().inputs = &inputs;
    device.template launch<tune::split_combine_entry<kernel::attention_arguments<float, float>>>(
        {c.seq_q, c.heads, c.batch}, d.arguments());
    device.monitor().inputs = nullptr;
    inputs.here();
    std::size_t written = 0;
    for (int b = 0; b < c.batch; ++b)
        for (int h = 0; h < c.heads; ++h)
            for (int q = 0; q < d.length(b); ++q, ++written)
                if (const std::string wrong = d.wrong_row(b, h, q); !wrong.empty())
                    return "row " + std::to_string(b) + ", " + std::to_string(h) + ", " + std::to_string(q) +
                           ": " + wrong;
    std::size_t poisoned = 0;
    for (const float x : d.lse) poisoned += x == combine_data::poison;
    return poisoned == c.rows() - written ? "" : "queries beyond their sequence were written";
}

}  // namespace fade::test
