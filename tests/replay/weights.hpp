// Products with quantised weights, captured as launches on an architecture would be: GPTQ's words, and the
// bytes of mxfp4.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include "launched.hpp"
#include <cmath>
#include <fade/moe.hpp>
#include <fade/weight_gemm.hpp>
#include <random>

namespace fade::replay {

inline constexpr int weight_group = 32;  ///< k that share a scale, of both formats

/// One product whose weights are `worth(k, column)`; the workgroups of its tiles share no k.
template <weight_format Format, class T, class Worth>
void capture_weights(capture_target target, const fs::path& folder, const weight_gemm_problem& p,
                     const std::vector<std::uint32_t>& words,
                     const std::vector<weight_scale_t<Format>>& scales,
                     const std::vector<std::uint32_t>& zeros, std::mt19937_64& random, Worth worth) {
    std::normal_distribution<double> normal;
    std::vector<T> a(std::size_t(p.m * p.k)), d(std::size_t(p.m * p.n), test::poison<T>());
    for (T& x : a) x = test::nearest<T>(normal(random));
    std::vector<double> wanted(d.size());
    for (index i = 0; i < p.m; ++i)
        for (index j = 0; j < p.n; ++j)
            for (index s = 0; s < p.k; ++s)
                wanted[std::size_t(i * p.n + j)] += test::value_of(a[std::size_t(i * p.k + s)]) * worth(s, j);
    capture out(folder);
    keep(out, "a", a, "in"), keep(out, "d", d, "inout"), keep(out, "weights", words, "in");
    keep(out, "scales", scales, "in"), keep(out, "zeros", zeros, "in");
    const weight_gemm_operands<Format, T> operands{.a = a.data(),
                                                   .weights = words.data(),
                                                   .scales = scales.data(),
                                                   .zeros = zeros.empty() ? nullptr : zeros.data(),
                                                   .d = d.data()};
    const auto plan = plan_weight_gemm<Format, T>(target, p, operands, epilogue::none{}, {.split_k = 1});
    for (const auto& launch : plan.launches) out.launch(target.row(), launch);
    out.expect("d", fade::name(dtype_v<T>), wanted, 2 * test::power_of_two(-1 - test::format_of<T>.mantissa));
    out.close();
}

inline std::vector<std::uint32_t> random_words(index count, std::mt19937_64& random) {
    std::vector<std::uint32_t> out(static_cast<std::size_t>(count));
    for (std::uint32_t& w : out) w = std::uint32_t(random());
    return out;
}
inline int nibble(const std::vector<std::uint32_t>& words, index word, index place) {
    return int(words[std::size_t(word)] >> 4 * place & 15);
}

/// Words of eight k of a column; a weight is scale * (element - (zero + 1)).
inline void capture_gptq(capture_target target, const fs::path& folder, const weight_gemm_problem& p,
                         std::mt19937_64& random) {
    const auto words = random_words(p.k / 8 * p.n, random),
               zeros = random_words(p.k / weight_group * p.n / 8, random);
    std::vector<f16> scales(std::size_t(p.k / weight_group * p.n));
    for (f16& s : scales) s = test::nearest<f16>(std::exp2(-4 - double(random() % 4)));
    capture_weights<weights::gptq(weight_group), f16>(
        target, folder, p, words, scales, zeros, random, [&](index k, index column) {
            const index of_group = k / weight_group * p.n + column;
            const int element = nibble(words, k / 8 * p.n + column, k % 8),
                      zero = nibble(zeros, of_group / 8, of_group % 8);
            return test::value_of(scales[std::size_t(of_group)]) * (element - zero - 1);
        });
}

/// Rows of bytes of two k; 32 of them share a power of two.
inline void capture_mxfp4(capture_target target, const fs::path& folder, const weight_gemm_problem& p,
                          std::mt19937_64& random) {
    const auto words = random_words(p.n * p.k / 8, random);
    std::vector<e8m0> scales(std::size_t(p.n * (p.k / weight_group)));
    for (e8m0& s : scales) s.bits = std::uint8_t(120 + random() % 8);
    capture_weights<weights::mxfp4(), bf16>(
        target, folder, p, words, scales, {}, random, [&](index k, index column) {
            constexpr double worth[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
            const int element = nibble(words, (column * p.k + k) / 8, k % 8);
            const double size = worth[element & 7];
            return (element & 8 ? -size : size) *
                   std::exp2(scales[std::size_t(column * (p.k / weight_group) + k / weight_group)].bits -
                             127);
        });
}

/// Groups of no rows, of some, of more than a tile, by GPTQ's words of their own.
inline void capture_grouped_gptq(capture_target target, const fs::path& folder, std::mt19937_64& random) {
    constexpr index n = 72, k = 4 * weight_group;
    const std::vector<int> ends{3, 3, 70 + int(random() % 20), 110};
    const grouped_weight_gemm_problem p{.rows = 115, .n = n, .k = k, .groups = 4};
    const auto words = random_words(p.groups * k / 8 * n, random),
               zeros = random_words(p.groups * (k / weight_group) * n / 8, random);
    std::vector<f16> scales(std::size_t(p.groups * (k / weight_group) * n)), a(std::size_t(p.rows * k)),
        d(std::size_t(p.rows * n), test::poison<f16>());
    for (f16& s : scales) s = test::nearest<f16>(std::exp2(-4 - double(random() % 4)));
    std::normal_distribution<double> normal;
    for (f16& x : a) x = test::nearest<f16>(normal(random));
    std::vector<double> wanted(d.size(), std::nan(""));
    for (index row = 0, group = 0; row < ends.back(); ++row) {
        while (row >= ends[std::size_t(group)]) ++group;
        for (index j = 0; j < n; ++j) {
            double& sum = wanted[std::size_t(row * n + j)] = 0;
            for (index s = 0; s < k; ++s) {
                const index scale = (group * k + s) / weight_group * n + j;
                const int element = nibble(words, (group * k + s) / 8 * n + j, s % 8),
                          zero = nibble(zeros, scale / 8, scale % 8);
                sum += test::value_of(a[std::size_t(row * k + s)]) *
                       test::value_of(scales[std::size_t(scale)]) * (element - zero - 1);
            }
        }
    }
    capture out(folder);
    keep(out, "a", a, "in"), keep(out, "d", d, "inout"), keep(out, "weights", words, "in");
    keep(out, "scales", scales, "in"), keep(out, "zeros", zeros, "in"), keep(out, "ends", ends, "in");
    constexpr weight_format format = weights::gptq(weight_group);
    const grouped_weight_gemm_operands<format, f16> operands{.a = a.data(),
                                                             .weights = words.data(),
                                                             .scales = scales.data(),
                                                             .zeros = zeros.data(),
                                                             .d = d.data(),
                                                             .ends = ends.data()};
    for (const auto& launch : plan_grouped_weight_gemm<format, f16>(target, p, operands).launches)
        out.launch(target.row(), launch);
    out.expect("d", "f16", wanted, 0x1p-9);
    out.close();
}

/// Of some more than a tile, of few rows, and of groups.
inline void capture_quantised_weights(capture_target target, const fs::path& at, std::mt19937_64& random) {
    const weight_gemm_problem p{.m = 65 + index(random() % 8),
                                .n = 8 * (9 + index(random() % 4)),
                                .k = weight_group * (4 + index(random() % 4))};
    capture_gptq(target, at / "weights-gptq", p, random);
    capture_mxfp4(target, at / "weights-mxfp4", p, random);
    const weight_gemm_problem few{.m = 1 + index(random() % 20),
                                  .n = 8 * (9 + index(random() % 4)),
                                  .k = weight_group * (36 + index(random() % 20))};
    capture_gptq(target, at / "weights-gptq-few-rows", few, random);
    capture_mxfp4(target, at / "weights-mxfp4-few-rows", few, random);
    capture_grouped_gptq(target, at / "weights-gptq-grouped", random);
}

}  // namespace fade::replay
