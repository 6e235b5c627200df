// A product through a gate, and what is wrong with it: against loops over its elements.
#pragma once
#include "common/gemm_check.hpp"

namespace fade::test {

struct gated_case {
    gemm_problem problem;  ///< whose D is half as wide
    int kind;              ///< of gate
    int split_k;
    bool packed;  ///< ldd and stride_d by defaults
    std::uint64_t seed;
};

inline std::ostream& operator<<(std::ostream& to, const gated_case& c) {
    const auto& p = c.problem;
    return to << name(p.layout) << " m=" << p.m << " n=" << p.n << " k=" << p.k << " batch=" << p.batch
              << " alpha=" << p.alpha << " ldd=" << p.ldd << " stride_d=" << p.stride_d << " gate " << c.kind
              << " split_k=" << c.split_k << (c.packed ? " by defaults" : "") << " seed " << c.seed;
}

/// f(gate) * up of two values that are off.
inline bounded gated(int kind, bounded gate, bounded up) {
    constexpr stage_kind of[] = {stage_kind::silu, stage_kind::gelu, stage_kind::gelu_tanh};
    const bounded f = apply_function(of[kind], gate, 0, 0);
    return rounded(f.value * up.value,
                   f.error * std::fabs(up.value) + std::fabs(f.value) * up.error + f.error * up.error,
                   f.unit);
}

template <class In, class Out>
class gated_trial {
public:
    explicit gated_trial(const gated_case& c)
        : of_(c), a_({p().m, p().k, p().k, p().batch, p().m * p().k}),
          b_({p().n, p().k, p().k, p().batch, p().n * p().k}),
          d_({p().m, p().n / 2, p().ldd, p().batch, p().stride_d}),
          added_({p().m, p().n / 2, p().n / 2 + 3, p().batch, p().m * (p().n / 2 + 3) + 1}),
          seen_({p().m, p().n, p().n, p().batch, p().m * p().n}), bias_(std::size_t(p().n)) {
        std::mt19937_64 random(c.seed);
        const bool whole = std::is_integral_v<In>;
        a_.fill(random, whole && p().k < 500 ? 4 : 1);  // products of two sums are numbers of f16
        b_.fill(random, whole ? 1 : 1 / std::sqrt(double(std::max<index>(p().k, 1))));
        added_.fill(random, 1);
        std::normal_distribution<float> normal;
        for (float& v : bias_) v = normal(random);
    }

    template <class Arch>
    static constexpr gemm_kernels usual =
        only(std::is_same_v<Arch, arch::host> ? operand_access::strided : operand_access::nt);

    /// What is wrong; nothing if all is right.
    template <class Arch, gemm_kernels Kernels = usual<Arch>, class Gate>
    std::string run(const Gate& gate) {
        auto device = device_of<Arch>(2, 64);
        d_.each([&](index b, index i, index j) { d_.at(b, i, j) = poison<Out>(); });
        gemm_problem asked = p();
        if (of_.packed) asked.ldd = 0, asked.stride_d = -1;
        const auto chain = bias(bias_) | aux(seen_.data()) |
                           (gate | residual(added_.data(), added_.place().ld, added_.place().stride)) |
                           scale(0.5f);
        const report said = gemm<In, Out, Kernels>(
            device, asked, {.a = a_.data(), .b = b_.data(), .d = d_.data()}, chain, {.split_k = of_.split_k});
        if (said.requested.find("+aux+" + name_of(gate) + "+residual+scale") == std::string::npos)
            return "the report says " + said.requested;
        if (d_.disturbed() || seen_.disturbed()) return "elements beside D were written";
        return compared();
    }

private:
    const gemm_problem& p() const { return of_.problem; }
    std::string compared() const {
        std::vector<bounded> wanted;
        for (index batch = 0; batch < p().batch; ++batch) {
            const auto a = unpacked(a_, batch, false), b = unpacked(b_, batch, false);
            const auto before = [&](index i, index j) {
                constexpr double unit =
                    unit_roundoff<std::conditional_t<std::is_same_v<Out, double>, double, float>>;
                bounded v = dot(a.data() + i * p().k, b.data() + j * p().k, p().k, accumulator_unit<In>);
                if (std::is_integral_v<In>) v = rounded(v.value, 0, unit);
                return plus(times(v, p().alpha), bias_[std::size_t(j)]);
            };
            for (index i = 0; i < p().m; ++i)
                for (index j = 0; j < p().n / 2; ++j) {
                    const bounded left = before(i, 2 * j), right = before(i, 2 * j + 1);
                    for (int side = 0; side < 2; ++side) {
                        const bounded saw = stored<float>(side ? right : left);
                        if (std::fabs(double(seen_.at(batch, i, 2 * j + side)) - saw.value) >
                            8 * saw.error + 1e-30)
                            return "a column before the gate is another one's";
                    }
                    const bounded v = gated(of_.kind, left, right);
                    wanted.push_back(stored<Out>(times(plus(v, value_of(added_.at(batch, i, j))), 0.5)));
                }
        }
        return difference(d_, wanted);
    }

    gated_case of_;
    matrix<In> a_, b_;
    matrix<Out> d_;
    matrix<float> added_, seen_;
    std::vector<float> bias_;
};

}  // namespace fade::test
