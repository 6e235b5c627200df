// Runs a product of groups along k and says what is wrong with it.
#pragma once
#include "common/gemm_check.hpp"
#include "common/gemm_data.hpp"
#include "common/property.hpp"
#include "common/run_twice.hpp"
#include <fade/grouped_gemm.hpp>
#include <set>

namespace fade::test {

struct grouped_k_case {
    grouped_k_gemm_problem problem;
    std::vector<int> sizes;  // rows of each group
    bool in_place = false;
    index shift = 0;  // elements from an aligned address
    int compute_units = 64, threads = 1;
    std::uint64_t seed = 0;

    placement a() const { return {problem.k, problem.m, problem.lda, 1, 0, shift}; }
    placement b() const { return {problem.k, problem.n, problem.ldb, 1, 0, shift}; }
    placement d() const {
        return {problem.m, problem.n, problem.ldd, index(problem.groups), problem.stride_d, shift};
    }
};
inline std::ostream& operator<<(std::ostream& to, const grouped_k_case& c) {
    const grouped_k_gemm_problem& p = c.problem;
    to << "m " << p.m << " n " << p.n << " k " << p.k << " alpha " << p.alpha << " beta " << p.beta << " lda "
       << p.lda << " ldb " << p.ldb << " ldd " << p.ldd << " stride_d " << p.stride_d
       << (c.in_place ? " in place" : "") << " shift " << c.shift << " compute_units " << c.compute_units
       << " threads " << c.threads << " seed " << c.seed << " groups of";
    for (const int size : c.sizes) to << ' ' << size;
    return to;
}

template <class In, class Out>
class grouped_k_trial {
public:
    explicit grouped_k_trial(const grouped_k_case& of)
        : of_(of), a_(of.a()), b_(of.b()), c_(of.d()), d_(of.d()),
          bias_(std::size_t(of.problem.groups * of.problem.n)) {
        std::mt19937_64 random(of.seed);
        a_.fill(random, 1), b_.fill(random, 1), c_.fill(random, 1);
        std::normal_distribution<float> normal;
        for (float& v : bias_) v = normal(random);
        int end = 0;
        for (const int size : of.sizes) ends_.push_back(end += size);
    }

    /// What is wrong; nothing if all is right. Reports go to `reached`.
    template <class Arch>
    std::string run(std::set<std::string>& reached) {
        return run_twice<Arch>(*this, reached);
    }

    const auto& of() const { return of_; }
    const auto& d() const { return d_; }
    std::string fault_of(const report& said) const {
        const grouped_k_gemm_problem& p = of_.problem;
        return unnamed_sizes(said, p.m, p.n, p.alpha == 0 ? 0 : p.k);
    }
    template <class Device>
    report call(Device& device) {
        grouped_k_gemm_problem p = of_.problem;
        p.ldc = p.ldd, p.stride_c = p.stride_d;
        return grouped_k_gemm<In, Out>(device, p,
                                       {.a = a_.data(),
                                        .b = b_.data(),
                                        .c = p.beta == 0    ? nullptr
                                             : of_.in_place ? d_.data()
                                                            : c_.data(),
                                        .d = d_.data(),
                                        .ends = ends_.data()},
                                       batch_bias(bias_));
    }
    void poison_output() {
        d_.each([&](index b, index r, index s) {
            d_.at(b, r, s) = of_.in_place ? c_.at(b, r, s) : poison<Out>();
        });
    }
    std::string difference() const {
        const grouped_k_gemm_problem& p = of_.problem;
        double off = 0, allowed = 0;
        for (int g = 0; g < p.groups; ++g) {
            const index begin = g ? ends_[std::size_t(g - 1)] : 0, end = ends_[std::size_t(g)];
            for (index i = 0; i < p.m; ++i)
                for (index j = 0; j < p.n; ++j) {
                    double sum = 0, magnitude = 0;
                    for (index r = begin; r < end; ++r) {
                        const double product = value_of(a_.at(0, r, i)) * value_of(b_.at(0, r, j));
                        sum += product, magnitude += std::fabs(product);
                    }
                    constexpr double unit = accumulator_unit<In>;
                    bounded v{sum, double(end - begin + 1) * unit * magnitude,
                              std::max(unit, unit_roundoff<float>)};
                    v = times(v, p.alpha);
                    if (p.beta != 0) v = plus(v, p.beta * value_of(c_.at(g, i, j)));
                    v = stored<Out>(plus(v, bias_[std::size_t(g * p.n + j)]));
                    const double d = value_of(d_.at(g, i, j)) - v.value;
                    off += d * d, allowed += v.error * v.error;
                }
        }
        std::ostringstream said;
        if (!(off <= allowed)) said << "off by " << std::sqrt(off) << ", at most " << std::sqrt(allowed);
        return said.str();
    }

private:
    grouped_k_case of_;
    matrix<In> a_, b_;
    matrix<Out> c_, d_;
    std::vector<float> bias_;
    std::vector<int> ends_;
};

/// Groups without rows, borders that are no multiple of a step, rows behind the last group; half of the cases
/// lie in aligned runs of `run` elements.
inline grouped_k_case random_grouped_k_case(index run) {
    grouped_k_case c;
    grouped_k_gemm_problem& p = c.problem;
    p.groups = *rc::gen::inRange(1, 6);
    for (int g = 0; g < p.groups; ++g) {
        c.sizes.push_back(*rc::gen::weightedOneOf<int>({{2, rc::gen::just(0)},
                                                        {4, rc::gen::inRange(1, 70)},
                                                        {2, rc::gen::element(31, 32, 64, 65, 128)}}));
        p.k += c.sizes.back();
    }
    p.k += *rc::gen::element<index>(0, 0, 1, 40);
    const bool aligned = *rc::gen::arbitrary<bool>();
    const index unit = aligned ? run : 1;
    p.m = unit * *rc::gen::inRange<index>(1, 150 / unit),
    p.n = unit * *rc::gen::inRange<index>(1, 150 / unit);
    const auto pad = [&] { return unit * *rc::gen::inRange<index>(0, 3); };
    p.lda = p.m + pad(), p.ldb = p.n + pad(), p.ldd = p.n + pad(), p.stride_d = p.m * p.ldd + pad();
    p.alpha = *rc::gen::element(1.0, 1.0, -0.5, 0.0), p.beta = *rc::gen::element(0.0, 0.0, -1.5);
    c.in_place = p.beta != 0 && *rc::gen::arbitrary<bool>();
    if (!aligned) c.shift = *rc::gen::inRange<index>(0, 3);
    c.compute_units = *rc::gen::element(1, 3, 1000), c.threads = *rc::gen::inRange(1, 4);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

/// Problems that reach every kernel, of which there are so many, and `cases` random ones.
template <class Arch, class In, class Out = In>
void grouped_k_suite(int cases, std::size_t kernels) {
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    constexpr index run = 16 / index(sizeof(In));
    for (const int units : {1, 1000})
        for (const index shift : {0, 1}) {
            grouped_k_case c{.problem = {.m = 20 * run, .n = 26 * run, .k = 90, .groups = 4},
                             .sizes = {13, 0, 70, 3},
                             .shift = shift,
                             .compute_units = units,
                             .seed = random()};
            grouped_k_gemm_problem& p = c.problem;
            p.lda = p.m, p.ldb = p.ldd = p.n, p.stride_d = p.m * p.n;
            INFO(c);
            CHECK(grouped_k_trial<In, Out>(c).template run<Arch>(reached) == "");
        }
    CHECK(reached.size() >= kernels);
    holds(std::string(Arch::traits.name) + " groups along k " + name(dtype_v<In>), cases, [&] {
        const auto c = random_grouped_k_case(run);
        must_be_right(c, grouped_k_trial<In, Out>(c).template run<Arch>(reached));
    });
}

}  // namespace fade::test
