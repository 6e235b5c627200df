// What every architecture must do with quantised weights: random problems against sums in double precision.
#pragma once
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include "common/weight_bits.hpp"
#include <fade/weight_gemm.hpp>
#include <set>

namespace fade::test {

struct weight_case {
    weight_gemm_problem problem;
    int split_k = 0, compute_units = 64, threads = 1;
    std::uint64_t seed = 0;
};
inline std::ostream& operator<<(std::ostream& to, const weight_case& c) {
    const weight_gemm_problem& p = c.problem;
    return to << "m " << p.m << " n " << p.n << " k " << p.k << " alpha " << p.alpha << " beta " << p.beta
              << " lda " << p.lda << " ldc " << p.ldc << " ldd " << p.ldd << " split_k " << c.split_k
              << " compute_units " << c.compute_units << " threads " << c.threads << " seed " << c.seed;
}

template <weight_format Format, class In, class Out>
class weight_trial {
public:
    explicit weight_trial(const weight_case& of)
        : of_(of), random_(of.seed), weights_(of.problem.n, of.problem.k, random_),
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
        try {
            const report said = call(device);
            reached.insert(said.chosen.substr(0, said.chosen.find(' ')) +
                           (said.chosen.find("shared") == std::string::npos ? "" : ", k shared"));
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
        if (d_.disturbed()) return "elements outside D were written";
        const std::string wrong = difference(d_, wanted());
        if (!wrong.empty()) return wrong;
        const auto first = d_.bytes();
        poison_output();
        call(device);
        return d_.same_bytes(first) ? "" : "two runs give different bits";
    }

private:
    template <class Device>
    report call(Device& device) {
        return weight_gemm<Format, In, Out>(device, of_.problem,
                                            {.a = a_.data(),
                                             .weights = weights_.words(),
                                             .scales = weights_.scales(),
                                             .zeros = weights_.zeros(),
                                             .c = of_.problem.beta != 0 ? c_.data() : nullptr,
                                             .d = d_.data()},
                                            bias(bias_), {.split_k = of_.split_k});
    }
    void poison_output() {
        d_.each([&](index b, index r, index s) { d_.at(b, r, s) = poison<Out>(); });
    }
    std::vector<bounded> wanted() const {
        const weight_gemm_problem& p = of_.problem;
        std::vector<double> w(std::size_t(p.n * p.k));
        for (index j = 0; j < p.n; ++j)
            for (index i = 0; i < p.k; ++i) w[std::size_t(j * p.k + i)] = weights_.template weight<In>(i, j);
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
};

/// Few rows or many, ends of tiles, rows that are apart, k in parts.
template <weight_format Format>
weight_case random_weight_case() {
    const auto from = [](int low, int high) {
        return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
    };
    weight_case c;
    weight_gemm_problem& p = c.problem;
    p.m = from(0, 2) ? from(1, 20) : from(1, 140);
    p.n = from(1, 20) * 8 + (Format.order == weight_order::rows ? from(0, 7) : 0);
    p.k = from(1, std::max(640 / Format.granule(), 3)) * Format.granule();
    p.alpha = from(0, 2) ? 1 : 0.75, p.beta = from(0, 2) ? 0 : 0.5;
    if (from(0, 1)) p.lda = p.k + 8 * from(0, 3), p.ldc = p.n + from(0, 9), p.ldd = p.n + from(0, 9);
    c.split_k = from(0, 3), c.compute_units = from(0, 1) ? 64 : 1, c.threads = from(1, 3);
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

/// `cases` random problems beside those that reach every kernel, of which there are so many.
template <class Arch, weight_format Format, class In, class Out = In>
void weight_suite(int cases, std::size_t kernels) {
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const int units : {1, 1000})
        for (const int parts : {1, 2}) {
            const weight_case c{.problem = {.m = 37, .n = 168, .k = 512},
                                .split_k = parts,
                                .compute_units = units,
                                .seed = random()};
            INFO(c);
            CHECK(weight_trial<Format, In, Out>(c).template run<Arch>(reached) == "");
        }
    holds(std::string(Arch::traits.name) + " " + name(dtype_v<In>) + " by " + in_words(Format), cases, [&] {
        const auto c = random_weight_case<Format>();
        must_be_right(c, weight_trial<Format, In, Out>(c).template run<Arch>(reached));
    });
    std::string all;
    for (const std::string& kernel : reached) all += kernel + "\n";
    INFO(all);
    CHECK(reached.size() >= kernels);
}

/// The formats that differ most in how they are read and decoded.
template <class Arch>
void main_weight_suites(int cases, std::size_t kernels) {
    weight_suite<Arch, weights::gptq(64), bf16>(cases, kernels);
    weight_suite<Arch, weights::awq(32), f16>(cases, kernels);
    weight_suite<Arch, weights::mxfp4(), bf16>(cases, kernels);
}

template <class Arch>
void weight_suites(int cases, std::size_t kernels) {
    main_weight_suites<Arch>(cases, kernels);
    weight_suite<Arch, weight_format{.bias = 8}, f16>(cases, kernels);
    weight_suite<Arch, weights::gptq(32, weight_element::unsigned8), f16>(cases, kernels);
    weight_suite<Arch, weights::int8_rows(), bf16, float>(cases, kernels);
    weight_suite<Arch, weights::mxfp8(), f16>(cases, kernels);
    weight_suite<Arch, weights::nvfp4(), f16, float>(cases, kernels);
}

}  // namespace fade::test
