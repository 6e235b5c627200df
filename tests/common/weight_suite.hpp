// What every architecture must do with quantised weights: random problems against sums in double precision.
#pragma once
#include "common/property.hpp"
#include "common/weight_trial.hpp"

namespace fade::test {

/// Few rows or many, ends of tiles, rows that are apart, k in parts.
template <weight_format Format>
weight_case random_weight_case() {
    const auto from = [](int low, int high) {
        return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
    };
    weight_case c;
    weight_gemm_problem& p = c.problem;
    p.m = from(0, 2) ? from(1, 33) : from(1, 140);
    p.n = from(1, 20) * 8 + (Format.order == weight_order::rows ? from(0, 7) : 0);
    if (Format.leaves_group()) p.group = *rc::gen::element<index>(16, 32, 64, 128, -1);
    const int granule = std::max(Format.granule(), int(p.group));
    p.k = from(1, std::max(640 / granule, 3)) * granule;
    p.alpha = from(0, 2) ? 1 : 0.75, p.beta = from(0, 2) ? 0 : 0.5;
    if (from(0, 1)) p.lda = p.k + 8 * from(0, 3), p.ldc = p.n + from(0, 9), p.ldd = p.n + from(0, 9);
    c.split_k = from(0, 3), c.compute_units = from(0, 1) ? 64 : 1, c.threads = from(1, 3);
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

/// Problems that reach every kernel, of which there are so many beside those of few rows, and `cases` random
/// ones.
template <class Arch, weight_format Format, class In, class Out = In>
void weight_suite(int cases, std::size_t kernels) {
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    const auto check = [&](index rows, int parts, int units) {
        const index group = Format.leaves_group() ? parts == 1 ? 64 : -1 : 0;
        const weight_case c{.problem = {.m = rows, .n = 104, .k = rows > 64 ? 1024 : 2048, .group = group},
                            .split_k = parts,
                            .compute_units = units,
                            .seed = random()};
        INFO(c);
        CHECK(weight_trial<Format, In, Out>(c).template run<Arch>(reached) == "");
    };
    for (const int units : {1, 1000}) check(66, 1, units), check(66, 2, units);
    check(9, 1, 64), check(9, 2, 64), check(1, 1, 64), check(32, 1, 64), check(61, 1, 64), check(61, 2, 64),
        check(17, 9, 64), check(8, 2, 64);
    std::string all;
    for (const std::string& kernel : reached) all += kernel + "\n";
    INFO(all);
    // Of few rows, with k shared and without, where an instruction takes A's type as it is; of some more
    // where a ring holds weights.
    const bool skinny = tune::skinny_weight_policy<Arch, In, Format>().block_tile.m > 0,
               flat = tune::flat_weight_policy<Arch, In, Format>().block_tile.m > 0,
               streams = tune::stream_weight_policy<Arch, In, Format>(16).block_tile.m > 0;
    CHECK(reached.size() >= kernels + (skinny ? 2 : 0) + (flat ? 2 : 0) + (streams ? 4 : 0));
    holds(std::string(Arch::traits.name) + " " + name(dtype_v<In>) + " by " + in_words(Format), cases, [&] {
        const auto c = random_weight_case<Format>();
        must_be_right(c, weight_trial<Format, In, Out>(c).template run<Arch>(reached));
    });
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
