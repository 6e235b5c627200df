// Runs a grouped product and says what is wrong with it.
#pragma once
#include "common/gemm_check.hpp"
#include "common/grouped_case.hpp"
#include <fade/grouped_gemm.hpp>
#include <set>

namespace fade::test {

template <class In, class Out>
class grouped_trial {
public:
    explicit grouped_trial(const grouped_case& of)
        : of_(of), a_(of.a()), b_(of.b()), c_(of.c()), d_(of.d()),
          bias_(std::size_t(of.problem.groups * of.problem.n)),
          residual_({of.problem.rows, of.problem.n, of.problem.n + 1}) {
        std::mt19937_64 random(of.seed);
        const bool whole = std::is_integral_v<In>;
        a_.fill(random, whole ? 40 : 1);
        b_.fill(random, whole ? 40 : 1 / std::sqrt(double(std::max<index>(of.problem.k, 1))));
        if (of.problem.beta != 0) c_.fill(random, 1);
        std::normal_distribution<float> normal;
        for (float& v : bias_) v = normal(random);
        residual_.fill(random, 1);
        int end = 0;
        for (const int size : of.sizes) ends_.push_back(end += size);
        for (index i = 0; of.listed && i < of.problem.rows; ++i)
            list_.push_back(i < end ? int(random() % std::uint64_t(of.problem.rows_of_a)) : -1);
    }

    /// What is wrong; nothing if all is right. Reports go to `reached`, so that kernels which no case reaches
    /// are noticed.
    template <class Arch>
    std::string run(std::set<std::string>& reached) {
        auto device = device_of<Arch>(of_.threads, of_.compute_units);
        poison_output();
        try {
            const report said = grouped_gemm<In, Out>(device, asked(), operands(), epilogue());
            reached.insert(said.chosen.substr(0, said.chosen.find(' ')) +
                           said.chosen.substr(std::min(said.chosen.rfind(' '), said.chosen.size())));
            const grouped_gemm_problem p = asked();
            if (const auto wrong = unnamed_sizes(said, p.rows, p.n, p.alpha == 0 ? 0 : p.k); !wrong.empty())
                return wrong;
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
        if (d_.disturbed()) return "elements outside D were written";
        const std::string wrong = difference();
        if (!wrong.empty()) return wrong;
        const auto first = d_.bytes();
        auto other = device_of<Arch>(of_.threads % 3 + 1, of_.compute_units);
        poison_output();
        grouped_gemm<In, Out>(other, asked(), operands(), epilogue());
        return d_.same_bytes(first) ? "" : "two runs give different bits";
    }

private:
    grouped_gemm_problem asked() const {
        grouped_gemm_problem p = of_.problem;
        if (of_.by_defaults) p.lda = p.ldb = p.ldc = p.ldd = 0, p.stride_b = -1;
        return p;
    }
    grouped_gemm_operands<In, Out> operands() {
        return {.a = a_.data(),
                .b = b_.data(),
                .c = of_.in_place            ? d_.data()
                     : of_.problem.beta != 0 ? c_.data()
                                             : nullptr,
                .d = d_.data(),
                .ends = ends_.data(),
                .row_list = of_.listed ? list_.data() : nullptr};
    }
    /// A bias of each group, and a matrix whose rows are those of all groups.
    auto epilogue() const {
        return batch_bias(bias_) | residual(residual_.data(), residual_.place().ld) | relu();
    }
    void poison_output() {
        d_.each([&](index b, index r, index s) { d_.at(b, r, s) = poison<Out>(); });
        if (of_.in_place) d_.copy_from(c_);
    }

    bounded wanted(int group, index row, index column) const {
        const grouped_gemm_problem& p = of_.problem;
        const index from = of_.listed ? list_[std::size_t(row)] : row;
        double sum = 0, magnitude = 0;
        for (index i = 0; i < p.k; ++i) {
            const double b =
                value_of(b_transposed(p.layout) ? b_.at(group, column, i) : b_.at(group, i, column));
            const double product = value_of(a_.at(0, from, i)) * b;
            sum += product, magnitude += std::fabs(product);
        }
        constexpr double unit = accumulator_unit<In>;
        bounded v{sum, double(p.k + 1) * unit * magnitude, std::max(unit, unit_roundoff<float>)};
        v = times(v, p.alpha);
        if (p.beta != 0) v = plus(v, p.beta * value_of(c_.at(0, row, column)));
        v = plus(v, bias_[std::size_t(group * p.n + column)]);
        v = plus(v, value_of(residual_.at(0, row, column)));
        v.value = std::max(v.value, 0.0);
        return stored<Out>(v);
    }

    /// ||D - reference|| is at most ||bound||; rows behind the last group are as they were.
    std::string difference() const {
        double off = 0, allowed = 0;
        int group = 0;
        for (index row = 0; row < of_.problem.rows; ++row) {
            while (group < of_.problem.groups && row >= ends_[std::size_t(group)]) ++group;
            for (index column = 0; column < of_.problem.n; ++column) {
                const Out got = d_.at(0, row, column);
                if (group == of_.problem.groups) {
                    const bool kept = of_.in_place
                                          ? std::memcmp(&got, &c_.at(0, row, column), sizeof got) == 0
                                          : is_poison(got);
                    if (!kept) return "row " + std::to_string(row) + " is no group's, but was written";
                    continue;
                }
                const bounded want = wanted(group, row, column);
                const double d = value_of(got) - want.value;
                off += d * d, allowed += want.error * want.error;
            }
        }
        std::ostringstream said;
        if (!(off <= allowed)) said << "off by " << std::sqrt(off) << ", at most " << std::sqrt(allowed);
        return said.str();
    }

    grouped_case of_;
    matrix<In> a_, b_;
    matrix<Out> c_, d_;
    std::vector<float> bias_;
    matrix<float> residual_;
    std::vector<int> ends_, list_;
};

}  // namespace fade::test
