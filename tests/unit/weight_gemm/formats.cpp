// Formats that are rarer than those of every architecture's suite: other scales, zero points, signs; and
// what lies at their ends.
#include "common/weight_suite.hpp"

namespace fade::test {
namespace {

using enum weight_element;
using enum weight_order;

template <class Arch>
void check_all(int cases) {
    constexpr weight_scale half = weight_scale::binary16, single = weight_scale::binary32,
                           bfloat = weight_scale::bfloat16;
    weight_suite<Arch, weight_format{.element = signed4, .zero = weight_zero::bytes}, f16>(cases, 2);
    weight_suite<Arch,
                 weight_format{
                     .element = unsigned4, .scale = bfloat, .group = 16, .zero = weight_zero::as_scales},
                 f16>(cases, 2);
    weight_suite<
        Arch, weight_format{.element = unsigned8, .scale = single, .group = 32, .zero = weight_zero::bytes},
        f16, float>(cases, 2);
    weight_suite<Arch, weight_format{.element = unsigned8, .scale = half, .group = 0, .bias = 128}, f16>(
        cases, 2);
    weight_suite<Arch, weight_format{.element = signed8, .scale = half, .group = 64}, f16>(cases, 2);
    weight_suite<Arch, weight_format{.element = signed4, .order = gptq, .scale = single, .group = 0}, bf16>(
        cases, 2);
    weight_suite<Arch, weight_format{.order = gptq, .group = 32, .zero = weight_zero::as_scales}, f16>(cases,
                                                                                                       2);
    weight_suite<Arch, weight_format{.order = gptq, .group = 32, .zero = weight_zero::packed}, f16>(cases, 2);
    weight_suite<Arch,
                 weight_format{.element = signed8,
                               .order = gptq,
                               .scale = bfloat,
                               .group = 16,
                               .zero = weight_zero::packed_less_one},
                 bf16>(cases, 2);
    weight_suite<
        Arch,
        weight_format{
            .element = signed4, .order = awq, .scale = bfloat, .group = 64, .zero = weight_zero::as_scales},
        bf16>(cases, 2);
    weight_suite<Arch, weight_format{.order = awq, .group = 0, .bias = 8}, f16, float>(cases, 2);
    weight_suite<Arch, weights::gptq(weights::any_group), f16>(cases, 2);
    weight_suite<Arch, weights::awq(weights::any_group), bf16>(cases, 2);
    weight_suite<Arch,
                 weight_format{.element = signed4, .group = weights::any_group, .zero = weight_zero::bytes},
                 f16>(cases, 2);
    weight_suite<Arch, weights::mx(e5m2), bf16>(cases, 2);
    weight_suite<Arch, weights::mxfp4(), f16>(cases, 2);
    weight_suite<Arch, weights::nvfp4(), bf16>(cases, 2);
}

/// D of one row, one column and 32 k whose weights all have the scale `bits`, and A is 1.
template <class Arch, class In>
double sum_with_scale(std::uint8_t bits, std::uint8_t pair) {
    auto device = device_of<Arch>(1, 64);
    matrix<In> a({1, 32, 32});
    a.each([&](index b, index i, index j) { a.at(b, i, j) = nearest<In>(1); });
    alignas(16) std::uint8_t words[16];
    std::memset(words, pair, sizeof words);
    alignas(16) const e8m0 scale[] = {{bits}};
    float d = 7;
    weight_gemm<weights::mxfp4(), In, float>(device, {.m = 1, .n = 1, .k = 32},
                                             {.a = a.data(), .weights = words, .scales = scale, .d = &d});
    return d;
}

template <class Arch>
void check_ends() {
    CHECK(std::isnan(sum_with_scale<Arch, bf16>(255, 0x22)));
    CHECK(sum_with_scale<Arch, bf16>(127, 0x22) == 32);
    CHECK(sum_with_scale<Arch, bf16>(127, 0x0f) == -6 * 16);
    CHECK(sum_with_scale<Arch, f16>(127 + 20, 0x22) == std::numeric_limits<double>::infinity());
    CHECK(sum_with_scale<Arch, f16>(127 - 24, 0x22) == std::ldexp(32, -24));
    CHECK(sum_with_scale<Arch, f16>(127 - 30, 0x22) == 0);
}

/// No product at all: k of 0, or alpha of 0, reads neither A nor W.
template <class Arch>
void check_without_product() {
    auto device = device_of<Arch>(2, 64);
    std::vector<float> c(64), d(64, 7);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = float(i);
    for (const index k : {0, 128}) {
        weight_gemm<weight_format{}, f16, float>(device, {.m = 8, .n = 8, .k = k, .alpha = 0, .beta = 2},
                                                 {.c = c.data(), .d = d.data()});
        for (std::size_t i = 0; i < c.size(); ++i) CHECK(d[i] == 2 * c[i]);
    }
    CHECK(weight_gemm<weight_format{}, f16>(device, {.m = 0, .n = 8, .k = 128}, {}).chosen == "nothing");
}

/// A gate joins neighbours of the product, which the suites hold against a reference: few rows and many,
/// whole k and parts.
template <class Arch>
void check_gates() {
    constexpr weight_format format = weights::awq(weights::any_group);
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    const index n = 104, k = 512;
    const quantised<format> w(n, k, 32, random);
    for (const index m : {5, 90})
        for (const int split_k : {1, 2}) {
            auto device = device_of<Arch>(2, 64);
            matrix<f16> a({m, k, k});
            matrix<float> plain({m, n, n}), d({m, n / 2, n / 2 + 3});
            a.fill(random, 1);
            const weight_gemm_problem p{.m = m, .n = n, .k = k, .group = 32};
            const auto run = [&](const weight_gemm_problem& problem, float* to, const auto& stages) {
                weight_gemm<format, f16, float>(
                    device, problem,
                    {.a = a.data(), .weights = w.words(), .scales = w.scales(), .zeros = w.zeros(), .d = to},
                    stages, {.split_k = split_k});
            };
            run(p, plain.data(), epilogue::none{});
            weight_gemm_problem half = p;
            half.ldd = n / 2 + 3;
            run(half, d.data(), swiglu() | scale(2));
            CHECK(d.disturbed() == 0);
            index wrong = 0;
            d.each([&](index, index i, index j) {
                const double gate = plain.at(0, i, 2 * j),
                             want = 2 * gate * sigmoid_of(gate) * plain.at(0, i, 2 * j + 1);
                wrong += !(std::fabs(d.at(0, i, j) - want) <= 8e-6 * (1 + std::fabs(want)));
            });
            INFO(Arch::traits.name, " m ", m, " split_k ", split_k);
            CHECK(wrong == 0);
        }
}

}  // namespace

TEST_CASE("host") {
    check_gates<arch::host>();
    check_all<arch::host>(20), check_ends<arch::host>(), check_without_product<arch::host>();
}
TEST_CASE("gfx1100") {
    check_gates<arch::gfx1100>();
    check_all<arch::gfx1100>(12), check_ends<arch::gfx1100>(), check_without_product<arch::gfx1100>();
}
TEST_CASE("gfx1030") { check_ends<arch::gfx1030>(), check_without_product<arch::gfx1030>(); }

}  // namespace fade::test
