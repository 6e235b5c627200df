// Random quantisations, and what they should write in f64, element by element, sharing nothing with the
// kernels.
#pragma once
#include "common/numbers.hpp"
#include <fade/quantize.hpp>
#include <ostream>
#include <random>
#include <vector>

namespace fade::test {

/// How a tensor lies: side by side by default strides; with gaps; heads before positions.
enum class lying { packed, gaps, heads_first };

struct quantize_case {
    quantize_problem problem;
    lying x = lying::packed, out = lying::packed;
    bool specials = false;  // NaN, infinities, zeros of both signs and subnormal numbers among the elements;
                            // a head of zeros
    bool own_workspace = false;
    int exponent = 0;  // of the largest head; each head before it is 2^-spread as large
    int spread = 0;
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const quantize_case& c) {
    const quantize_problem& p = c.problem;
    return to << "batch " << p.batch << " positions " << p.positions << " heads " << p.heads << " head_dim "
              << p.head_dim << (p.per_head ? " per head" : "") << " x " << int(c.x) << " out " << int(c.out)
              << (c.specials ? " specials" : "") << (c.own_workspace ? " own workspace" : "") << " exponent "
              << c.exponent << " spread " << c.spread << " seed " << c.seed;
}

/// Memory of a case. Outputs and the workspace begin as `fill`, repeated; behind each of them lie a few
/// elements more.
template <class Out, class In>
struct quantize_data {
    static constexpr std::size_t behind = 5;
    quantize_problem problem;
    std::vector<In> x;
    std::vector<Out> out;
    std::vector<float> scales, workspace;
    bool own_workspace;
    attention_strides x_lies, out_lies;

    explicit quantize_data(const quantize_case& c, std::uint8_t fill = 0x5a)
        : problem(c.problem), own_workspace(c.own_workspace) {
        quantize_problem& p = problem;
        x_lies = lie(c.x), out_lies = lie(c.out);
        if (c.x != lying::packed) p.x_strides = x_lies;
        if (c.out != lying::packed) p.out_strides = out_lies;
        x.resize(extent(x_lies), nearest<In>(1e4));  // gaps, in which nothing may be found
        out.resize(extent(out_lies) + behind, Out{fill});
        scales.resize(std::size_t(factors()) + behind, std::bit_cast<float>(fill * 0x01010101u));
        workspace.resize(std::size_t(p.heads) * 256 + behind, 3e38f);
        draw(c);
    }

    quantize_operands<Out, In> operands() {
        return {.x = x.data(), .out = out.data(), .scales = scales.data()};
    }
    quantize_options options() {
        return own_workspace ? quantize_options{workspace.data(), (workspace.size() - behind) * sizeof(float)}
                             : quantize_options{};
    }
    index factors() const { return problem.per_head ? problem.heads : 1; }
    std::size_t in_x(index b, index i, index h) const {
        return std::size_t(b * x_lies.batch + i * x_lies.position + h * x_lies.head);
    }
    std::size_t in_out(index b, index i, index h) const {
        return std::size_t(b * out_lies.batch + i * out_lies.position + h * out_lies.head);
    }
    template <class F>
    void each_row(F f) const {
        for (index b = 0; b < problem.batch; ++b)
            for (index i = 0; i < problem.positions; ++i)
                for (index h = 0; h < problem.heads; ++h) f(b, i, h);
    }

private:
    attention_strides lie(lying how) const {
        const quantize_problem& p = problem;
        if (how == lying::heads_first)
            return {p.heads * p.positions * p.head_dim, p.head_dim, p.positions * p.head_dim};
        const index gap = how == lying::gaps ? 3 : 0, position = p.heads * (p.head_dim + gap) + gap;
        return {p.positions * position + gap, position, p.head_dim + gap};
    }
    std::size_t extent(const attention_strides& s) const { return std::size_t(problem.batch * s.batch); }

    void draw(const quantize_case& c) {
        std::mt19937_64 random(c.seed);
        std::normal_distribution<double> normal;
        const index zeros = c.specials && random() % 2 ? 0 : -1;  // a head of nothing else
        each_row([&](index b, index i, index h) {
            for (index e = 0; e < problem.head_dim; ++e) {
                const double value =
                    h == zeros
                        ? 0
                        : std::ldexp(normal(random), c.exponent - int(problem.heads - 1 - h) * c.spread);
                x[in_x(b, i, h) + std::size_t(e)] =
                    nearest<In>(c.specials ? special_or(value, random) : value);
            }
        });
    }
    static double special_or(double value, std::mt19937_64& random) {
        constexpr double infinity = std::numeric_limits<double>::infinity(),
                         specials[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
                                       0.0,      -0.0,      1e-41,
                                       -1e-7};
        return random() % 20 ? value : specials[random() % std::size(specials)];
    }
};

/// The factor that a largest magnitude asks for: nearest to largest / largest number of Out.
template <class Out>
double reference_factor(double largest) {
    constexpr number_format f = format_of<Out>;
    return largest > 0 ? std::max(double(float(largest / decode(f, f.largest()))), power_of_two(-126)) : 1;
}

template <class Out, class In>
std::vector<double> reference_factors(const quantize_data<Out, In>& d) {
    std::vector<double> largest(std::size_t(d.factors()));
    d.each_row([&](index b, index i, index h) {
        double& max = largest[d.problem.per_head ? std::size_t(h) : 0];
        for (index e = 0; e < d.problem.head_dim; ++e) {
            const double x = std::fabs(value_of(d.x[d.in_x(b, i, h) + std::size_t(e)]));
            if (std::isfinite(x)) max = std::max(max, x);
        }
    });
    for (double& f : largest) f = reference_factor<Out>(f);
    return largest;
}

/// All of `out`, which began with `fill`.
template <class Out, class In>
std::vector<Out> reference_elements(const quantize_data<Out, In>& d, const std::vector<double>& factors,
                                    std::uint8_t fill) {
    std::vector<Out> want(d.out.size(), Out{fill});
    d.each_row([&](index b, index i, index h) {
        for (std::size_t e = 0; e < std::size_t(d.problem.head_dim); ++e)
            want[d.in_out(b, i, h) + e] = nearest<Out>(value_of(d.x[d.in_x(b, i, h) + e]) /
                                                       factors[d.problem.per_head ? std::size_t(h) : 0]);
    });
    return want;
}

/// The same bits; of NaN, any bits that are one.
template <class Out>
bool same_element(Out got, Out want) {
    return got.bits == want.bits || (std::isnan(value_of(got)) && std::isnan(value_of(want)));
}

/// What is wrong with the results of a case that began with `fill`; empty where nothing is.
template <class Out, class In>
std::string wrong_with(const quantize_data<Out, In>& d, std::uint8_t fill = 0x5a) {
    const std::vector<double> factors = reference_factors(d);
    for (std::size_t f = 0; f < factors.size(); ++f)
        if (double(d.scales[f]) != factors[f])
            return "factor " + std::to_string(f) + " is " + std::to_string(d.scales[f]) + ", should be " +
                   std::to_string(factors[f]);
    const std::vector<Out> want = reference_elements(d, factors, fill);
    for (std::size_t i = 0; i < want.size(); ++i)
        if (!same_element(d.out[i], want[i]))
            return "element " + std::to_string(i) + " has bits " + std::to_string(d.out[i].bits) +
                   ", should be " + std::to_string(want[i].bits);
    for (std::size_t i = factors.size(); i < d.scales.size(); ++i)
        if (std::bit_cast<std::uint32_t>(d.scales[i]) != fill * 0x01010101u)
            return "memory behind the factors is disturbed";
    for (std::size_t i = d.workspace.size() - d.behind; i < d.workspace.size(); ++i)
        if (d.workspace[i] != 3e38f) return "memory behind the workspace is disturbed";
    return "";
}

/// What is wrong with a case, which begins with one pattern and then with its complement: so nothing can be
/// right by not being written.
template <class Out, class In, class Device>
std::string wrong_quantize(Device& device, const quantize_case& c) {
    for (const std::uint8_t fill : {0x5a, 0xa5}) {
        quantize_data<Out, In> d(c, fill);
        quantize<Out, In>(device, d.problem, d.operands(), d.options());
        if (const std::string wrong = wrong_with(d, fill); !wrong.empty()) return wrong;
    }
    return "";
}

}  // namespace fade::test
