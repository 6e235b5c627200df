// Products of 8-bit floats with scales of 128 k, captured as launches on an architecture would be.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include "launched.hpp"
#include <cmath>
#include <fade/scaled_gemm.hpp>
#include <random>

namespace fade::replay {

/// D of some more than a tile, whose last part of k has less than 128.
template <class In>
void capture_scales(capture_target target, const fs::path& folder, index n, index k,
                    std::mt19937_64& random) {
    const scaled_gemm_problem p{.m = 72, .n = n, .k = k};
    const index parts = ceil_div<index>(k, scale_depth), groups = ceil_div<index>(n, p.columns_per_scale);
    std::normal_distribution<double> normal;
    const auto filled = [&](index count) {
        std::vector<In> out(static_cast<std::size_t>(count));
        for (In& x : out) x = test::nearest<In>(8 * normal(random));
        return out;
    };
    const auto scales = [&](index count) {
        std::vector<float> out(static_cast<std::size_t>(count));
        for (float& x : out) x = float(std::exp2(normal(random) - 4));
        return out;
    };
    const std::vector<In> a = filled(p.m * k), b = filled(n * k);
    const std::vector<float> scale_a = scales(p.m * parts), scale_b = scales(groups * parts);
    std::vector<bf16> d(std::size_t(p.m * n), test::poison<bf16>());
    std::vector<double> wanted(d.size());
    for (index i = 0; i < p.m; ++i)
        for (index j = 0; j < n; ++j)
            for (index s = 0; s < k; ++s)
                wanted[std::size_t(i * n + j)] +=
                    test::value_of(a[std::size_t(i * k + s)]) * test::value_of(b[std::size_t(j * k + s)]) *
                    double(scale_a[std::size_t(i * parts + s / scale_depth)]) *
                    double(scale_b[std::size_t(j / p.columns_per_scale * parts + s / scale_depth)]);
    capture out(folder);
    keep(out, "a", a, "in"), keep(out, "b", b, "in"), keep(out, "d", d, "inout");
    keep(out, "scale_a", scale_a, "in"), keep(out, "scale_b", scale_b, "in");
    const scaled_gemm_operands<In, bf16> operands{
        .a = a.data(), .b = b.data(), .d = d.data(), .scale_a = scale_a.data(), .scale_b = scale_b.data()};
    for (const auto& launch : plan_scaled_gemm(target, p, operands).launches)
        out.launch(target.row(), launch);
    out.expect("d", "bf16", wanted, 0x1p-8);
    out.close();
}

/// In aligned runs by large tiles and by small ones, and element by element.
template <class In>
void capture_scaled(const std::string& arch, const fs::path& at, std::mt19937_64& random) {
    const index k = 16 * (17 + index(random() % 10));
    capture_scales<In>(capture_target(arch, 1), at / "scaled-large", 144, k, random);
    capture_scales<In>(capture_target(arch), at / "scaled-small", 80, k, random);
    capture_scales<In>(capture_target(arch), at / "scaled-elements", 75, k - 3, random);
}

}  // namespace fade::replay
