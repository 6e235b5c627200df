// Runs a product with quantised weights and says what is wrong with it.
#pragma once
#include "common/gemm_check.hpp"
#include "common/weight_bits.hpp"
#include <fade/weight_gemm.hpp>
#include <set>

namespace fade::test {

struct weight_case {
    weight_gemm_problem problem;
    int split_k = 0, compute_units = 64, threads = 1;
    bool in_place = false;  ///< C is D, which shows what is finished twice
    std::uint64_t seed = 0;
};
inline std::ostream& operator<<(std::ostream& to, const weight_case& c) {
    const weight_gemm_problem& p = c.problem;
    return to << "m " << p.m << " n " << p.n << " k " << p.k << " alpha " << p.alpha << " beta " << p.beta
              << " group " << p.group << " lda " << p.lda << " ldc " << p.ldc << " ldd " << p.ldd
              << " split_k " << c.split_k << " compute_units " << c.compute_units << " threads " << c.threads
              << (c.in_place ? " in place" : "") << " seed " << c.seed;
}

template <weight_format Format, class In, class Out>
class weight_trial {
public:
    explicit weight_trial(const weight_case& of)
        : of_(of), random_(of.seed), weights_(of.problem.n, of.problem.k, of.problem.group, random_),
          a_({of.problem.m, of.problem.k, of.problem.lda ? of.problem.lda : of.problem.k}),
          c_({of.problem.m, of.problem.n, of.problem.ldc ? of.problem.ldc : of.problem.n}),
          d_({of.problem.m, of.problem.n,
              of.problem.ldd   ? of.problem.ldd
              : of.problem.ldc ? of.problem.ldc
                               : of.problem.n}),
          bias_(std::size_t(of.problem.n)) {
        a_.fill(random_, 1);
        if (of.problem.beta != 0) c_.fill(random_, 1);
        std::normal_distribution<float> normal;
        for (float& v : bias_) v = normal(random_);
    }

    /// What is wrong; nothing if all is right. Reports go to `reached`.
    template <class Arch>
    std::string run(std::set<std::string>& reached) {
        auto device = device_of<Arch>(of_.threads, of_.compute_units);
        poison_output();
        bool sums_are_scaled = false;
        try {
            const report said = call(device);
            chosen_ = said.chosen;
            reached.insert(said.chosen.substr(0, said.chosen.find(' ')) +
                           (said.chosen.find("shared") == std::string::npos ? "" : ", k shared"));
            sums_are_scaled = said.chosen.find("wave_ring") != std::string::npos ||
                              said.chosen.find("unit_ring") != std::string::npos;
            const weight_gemm_problem& p = of_.problem;
            if (const auto wrong = unnamed_sizes(said, p.m, p.n, p.alpha == 0 ? 0 : p.k); !wrong.empty())
                return wrong;
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
        if (d_.disturbed()) return "elements outside D were written";
        const std::string wrong = difference(d_, sums_are_scaled ? wanted<float>() : wanted<In>());
        if (!wrong.empty()) return wrong;
        const auto first = d_.bytes();
        poison_output();
        call(device);
        return d_.same_bytes(first) ? "" : "two runs give different bits";
    }

    /// What ran, in the report's words.
    const std::string& chosen() const { return chosen_; }

private:
    template <class Device>
    report call(Device& device) {
        return weight_gemm<Format, In, Out>(device, of_.problem,
                                            {.a = a_.data(),
                                             .weights = weights_.words(),
                                             .scales = weights_.scales(),
                                             .zeros = weights_.zeros(),
                                             .c = of_.problem.beta == 0 ? nullptr
                                                  : of_.in_place        ? d_.data()
                                                                        : c_.data(),
                                             .d = d_.data()},
                                            bias(bias_), {.split_k = of_.split_k});
    }
    void poison_output() {
        d_.each([&](index b, index r, index s) {
            d_.at(b, r, s) = of_.in_place ? c_.at(b, r, s) : poison<Out>();
        });
    }
    /// Of weights that are rounded to Weight.
    template <class Weight>
    std::vector<bounded> wanted() const {
        const weight_gemm_problem& p = of_.problem;
        std::vector<double> w(std::size_t(p.n * p.k));
        for (index j = 0; j < p.n; ++j)
            for (index i = 0; i < p.k; ++i)
                w[std::size_t(j * p.k + i)] = weights_.template weight<Weight>(i, j);
        const auto a = unpacked(a_, 0, false);
        std::vector<bounded> out;
        for (index i = 0; i < p.m; ++i)
            for (index j = 0; j < p.n; ++j) {
                bounded v = dot(a.data() + i * p.k, w.data() + j * p.k, p.k, accumulator_unit<In>);
                v = times(v, p.alpha);
                if (p.beta != 0) v = plus(v, p.beta * value_of(c_.at(0, i, j)));
                out.push_back(stored<Out>(plus(v, bias_[std::size_t(j)])));
            }
        return out;
    }

    weight_case of_;
    std::mt19937_64 random_;
    quantised<Format> weights_;
    matrix<In> a_;
    matrix<Out> c_, d_;
    std::vector<float> bias_;
    std::string chosen_;
};

}  // namespace fade::test
