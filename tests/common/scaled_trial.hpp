// Runs a product with scales of parts and says what is wrong with it.
#pragma once
#include "common/gated_trial.hpp"
#include <fade/scaled_gemm.hpp>
#include <set>

namespace fade::test {

struct scaled_case {
    scaled_gemm_problem problem;
    index shift = 0;  // elements from an aligned address
    int compute_units = 64, threads = 1;
    std::uint64_t seed = 0;

    placement a() const {
        const bool t = a_transposed(problem.layout);
        return {t ? problem.k : problem.m, t ? problem.m : problem.k, problem.lda, 1, 0, shift};
    }
    placement b() const {
        const bool t = b_transposed(problem.layout);
        return {t ? problem.n : problem.k, t ? problem.k : problem.n, problem.ldb, 1, 0, shift};
    }
    placement d(int joined) const { return {problem.m, problem.n / joined, problem.ldd, 1, 0, shift}; }
};

inline std::ostream& operator<<(std::ostream& to, const scaled_case& c) {
    const scaled_gemm_problem& p = c.problem;
    return to << name(p.layout) << " m " << p.m << " n " << p.n << " k " << p.k << " lda " << p.lda << " ldb "
              << p.ldb << " ldd " << p.ldd << " rows_per_scale " << p.rows_per_scale << " columns_per_scale "
              << p.columns_per_scale << " scale_a_row " << p.scale_a_row << " scale_a_k " << p.scale_a_k
              << " scale_b_column " << p.scale_b_column << " scale_b_k " << p.scale_b_k << " shift "
              << c.shift << " compute_units " << c.compute_units << " threads " << c.threads << " seed "
              << c.seed;
}

/// Scales of some lines and parts of k: over 2^16, as outliers spread them. Between them lie NaNs.
class scale_table {
public:
    scale_table(index lines, index per_scale, index parts, index line_stride, index k_stride)
        : per_scale_(per_scale), line_stride_(line_stride), k_stride_(k_stride),
          lines_(ceil_div(lines, per_scale)), parts_(parts) {
        const index span =
            lines_ * parts_ == 0 ? 0 : (lines_ - 1) * line_stride + (parts_ - 1) * k_stride + 1;
        values_.assign(std::size_t(span), std::nanf(""));
    }
    void fill(std::mt19937_64& random, float largest_exponent) {
        std::uniform_real_distribution<float> exponent(largest_exponent - 16, largest_exponent);
        for (index g = 0; g < lines_; ++g)
            for (index s = 0; s < parts_; ++s)
                values_[std::size_t(g * line_stride_ + s * k_stride_)] = std::exp2(exponent(random));
    }
    double of(index line, index k) const {
        return values_[std::size_t(line / per_scale_ * line_stride_ + k / 128 * k_stride_)];
    }
    const float* data() const { return values_.data(); }

private:
    index per_scale_, line_stride_, k_stride_, lines_, parts_;
    std::vector<float> values_;
};

/// Of a product with a bias and relu, or with a bias and swiglu.
template <class In, class Out, bool Gated = false>
class scaled_trial {
public:
    explicit scaled_trial(const scaled_case& of)
        : of_(of), a_(of.a()), b_(of.b()), d_(of.d(joined)),
          scale_a_(p().m, p().rows_per_scale, parts(), p().scale_a_row, p().scale_a_k),
          scale_b_(p().n, p().columns_per_scale, parts(), p().scale_b_column, p().scale_b_k),
          bias_(std::size_t(p().n)) {
        std::mt19937_64 random(of.seed);
        a_.fill(random, 60), b_.fill(random, 60);
        constexpr float largest = std::is_same_v<Out, f16> ? -6 : 4;  // f16 holds less
        scale_a_.fill(random, largest), scale_b_.fill(random, largest);
        std::normal_distribution<float> normal;
        for (float& v : bias_) v = normal(random);
    }

    /// What is wrong; nothing if all is right. Kernels go to `reached`.
    template <class Arch>
    std::string run(std::set<std::string>& reached) {
        auto device = device_of<Arch>(of_.threads, of_.compute_units);
        const std::string refused = once(device, reached);
        if (!refused.empty()) return refused;
        if (d_.disturbed()) return "elements outside D were written";
        const std::string wrong = difference(d_, reference());
        if (!wrong.empty()) return wrong;
        const auto first = d_.bytes();
        auto other = device_of<Arch>(of_.threads % 3 + 1, of_.compute_units);
        once(other, reached);
        return d_.same_bytes(first) ? "" : "two runs give different bits";
    }

private:
    static constexpr int joined = Gated ? 2 : 1;
    const scaled_gemm_problem& p() const { return of_.problem; }
    auto stages() const {
        if constexpr (Gated)
            return bias(bias_.data()) | swiglu();
        else
            return bias(bias_.data()) | relu();
    }
    index parts() const { return ceil_div<index>(p().k, 128); }

    template <class Device>
    std::string once(Device& device, std::set<std::string>& reached) {
        d_.each([&](index b, index r, index c) { d_.at(b, r, c) = poison<Out>(); });
        try {
            const report said = scaled_gemm<In, Out>(device, p(),
                                                     {.a = a_.data(),
                                                      .b = b_.data(),
                                                      .d = d_.data(),
                                                      .scale_a = scale_a_.data(),
                                                      .scale_b = scale_b_.data()},
                                                     stages());
            reached.insert(said.chosen);
            return unnamed_sizes(said, p().m, p().n, p().k);
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
    }

    /// Sums of f32 are off by less than a unit of each addend's magnitude; so are elements that the host
    /// multiplies by scales, and sums of a part that scales multiply.
    bounded wanted(const double* a, const double* b, index column) const {
        double sum = 0, magnitude = 0;
        for (index i = 0; i < p().k; ++i) {
            const double product = a[i] * b[i];
            sum += product, magnitude += std::fabs(product);
        }
        bounded v{sum, double(p().k + 4) * accumulator_unit<In> * magnitude, unit_roundoff<float>};
        return plus(v, bias_[std::size_t(column)]);
    }
    static bounded relu_of(bounded v) {
        v.value = std::max(v.value, 0.0);
        return v;
    }
    std::vector<bounded> reference() const {
        std::vector<double> a, b;  // scaled; rows of A, columns of B
        for (index row = 0; row < p().m; ++row)
            for (index i = 0; i < p().k; ++i)
                a.push_back(value_of(a_transposed(p().layout) ? a_.at(0, i, row) : a_.at(0, row, i)) *
                            scale_a_.of(row, i));
        for (index column = 0; column < p().n; ++column)
            for (index i = 0; i < p().k; ++i)
                b.push_back(value_of(b_transposed(p().layout) ? b_.at(0, column, i) : b_.at(0, i, column)) *
                            scale_b_.of(column, i));
        std::vector<bounded> out;
        for (index row = 0; row < p().m; ++row)
            for (index column = 0; column < p().n; column += joined) {
                const auto sum = [&](index of) {
                    return wanted(a.data() + row * p().k, b.data() + of * p().k, of);
                };
                out.push_back(
                    stored<Out>(Gated ? gated(0, sum(column), sum(column + 1)) : relu_of(sum(column))));
            }
        return out;
    }

    scaled_case of_;
    matrix<In> a_, b_;
    matrix<Out> d_;
    scale_table scale_a_, scale_b_;
    std::vector<float> bias_;
};

}  // namespace fade::test
