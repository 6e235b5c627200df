// Products through a gate, captured as launches on an architecture would be.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include "launched.hpp"
#include <cmath>
#include <fade/gemm.hpp>
#include <random>

namespace fade::replay {

/// A product whose D is silu(left + bias) * (right + bias) + residual of neighbouring columns.
struct gated_memory {
    gemm_problem problem;
    std::vector<f16> a, b, bias, added, d;

    gated_memory(const gemm_problem& p, std::mt19937_64& random)
        : problem(p), a(filled(p.m * p.k, 1, random)),
          b(filled(p.n * p.k, 1 / std::sqrt(double(p.k)), random)), bias(filled(p.n, 1, random)),
          added(filled(p.m * (p.n / 2), 1, random)), d(std::size_t(p.m * p.ldd), test::poison<f16>()) {}

    /// NaN between the rows of D, where the poison must stay.
    std::vector<double> expected() const {
        const index columns = problem.n / 2;
        std::vector<double> out(d.size(), std::nan(""));
        for (index i = 0; i < problem.m; ++i)
            for (index j = 0; j < columns; ++j) {
                const double left = sum(i, 2 * j), right = sum(i, 2 * j + 1);
                out[std::size_t(i * problem.ldd + j)] = left / (1 + std::exp(-left)) * right +
                                                        test::value_of(added[std::size_t(i * columns + j)]);
            }
        return out;
    }

private:
    static std::vector<f16> filled(index count, double deviation, std::mt19937_64& random) {
        std::normal_distribution<double> normal(0, deviation);
        std::vector<f16> out(static_cast<std::size_t>(count));
        for (f16& x : out) x = test::nearest<f16>(normal(random));
        return out;
    }
    double sum(index i, index j) const {
        double out = test::value_of(bias[std::size_t(j)]);
        for (index k = 0; k < problem.k; ++k)
            out += test::value_of(a[std::size_t(i * problem.k + k)]) *
                   test::value_of(b[std::size_t(j * problem.k + k)]);
        return out;
    }
};

/// Of many compute units by small tiles, of one by large ones.
template <class Make>
void capture_gate(const std::string& arch, const fs::path& folder, bool large, int splits, Make make,
                  std::mt19937_64& random) {
    const auto some = [&](index least) { return least + index(random() % 30); };
    gemm_problem p{.m = some(large ? 130 : 40), .n = 2 * some(large ? 70 : 40), .layout = gemm_layout::nt};
    p.k = 8 * (splits > 1 ? some(20) : 9), p.ldd = p.n / 2 + 5;
    gated_memory of(p, random);
    capture_target target(arch, large ? 1 : 1 << 20);
    gemm_options options{.split_k = splits};
    const auto planned = [&] {
        return plan_gemm<f16, f16, only(operand_access::nt)>(
            target, p, {.a = of.a.data(), .b = of.b.data(), .d = of.d.data()}, make(of), options);
    };
    std::vector<std::byte> workspace(planned().workspace_bytes, std::byte{0xff});
    options.workspace = workspace.data(), options.workspace_bytes = workspace.size();
    capture out(folder);
    keep(out, "a", of.a, "in"), keep(out, "b", of.b, "in"), keep(out, "bias", of.bias, "in");
    keep(out, "added", of.added, "in"), keep(out, "d", of.d, "inout");
    out.memory("workspace", workspace.data(), workspace.size(), "scratch");
    for (const auto& launch : planned().launches) out.launch(target.row(), launch);
    out.expect("d", "f16", of.expected(), 0x1p-9);
    out.close();
}

/// Compiled, with k shared, and looked up while the kernel runs.
inline void capture_gates(const std::string& arch, const fs::path& at, std::mt19937_64& random) {
    const auto compiled = [](const gated_memory& of) {
        return bias(of.bias) | swiglu() | residual(of.added);
    };
    const auto looked_up = [](const gated_memory& of) {
        return any_gated_chain(any_chain<f16>().push(stage_kind::bias, of.bias), stage_kind::swiglu,
                               any_chain<f16>().push(stage_kind::residual, of.added));
    };
    capture_gate(arch, at / "gated", false, 1, compiled, random);
    capture_gate(arch, at / "gated-split", false, 2, compiled, random);
    capture_gate(arch, at / "gated-any", true, 1, looked_up, random);
}

}  // namespace fade::replay
