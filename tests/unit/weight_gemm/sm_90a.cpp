#include "common/weight_suite.hpp"
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <vector>

TEST_CASE("sm_90a") { fade::test::main_weight_suites<fade::arch::sm_90a>(20, 2); }

// Groups that a wave's part of a step does not end within, and two copies of words for each patch.
TEST_CASE("large groups of bytes in GPTQ's order") {
    using namespace fade;
    test::weight_suite<arch::sm_90a, weights::gptq(128, weight_element::unsigned8), bf16>(20, 2);
}

// Tiles of 256 columns, whose waves share rows of A: columns and parts of k that are not whole.
template <fade::weight_format Format, class In>
void check_wide_tiles(std::initializer_list<fade::index> rows, fade::index columns) {
    using namespace fade;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const fade::index m : rows) {
        const test::weight_case c{
            .problem = {.m = m, .n = columns, .k = 1152}, .compute_units = 1, .seed = random()};
        INFO(c);
        std::set<std::string> reached;
        test::weight_trial<Format, In, In> trial(c);
        CHECK(trial.template run<arch::sm_90a>(reached) == "");
        INFO(trial.chosen());
        CHECK(trial.chosen().find("x256x") != std::string::npos);
        const bool by_unit = m > (Format.order == weight_order::awq ? 32 : 16);
        CHECK((trial.chosen().find("unit_ring") != std::string::npos) == by_unit);
    }
}
TEST_CASE("wide tiles of packed weights that stream") {
    check_wide_tiles<fade::weights::gptq(128), fade::bf16>({8, 16, 27, 64}, 232);
    check_wide_tiles<fade::weights::awq(128), fade::f16>({7, 50}, 232);
    check_wide_tiles<fade::weights::awq(128), fade::f16>({16, 32}, 256);
}

// The same by two and three workgroups of a cluster, of which one has fewer steps.
TEST_CASE("wide tiles whose k workgroups share") {
    using namespace fade;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const int ranks : {2, 3}) {
        const test::weight_case c{
            .problem = {.m = 50, .n = 488, .k = 1408}, .compute_units = ranks == 2 ? 7 : 8, .seed = random()};
        INFO(c);
        std::set<std::string> reached;
        test::weight_trial<weights::gptq(128), bf16, bf16> trial(c);
        CHECK(trial.run<arch::sm_90a>(reached) == "");
        INFO(trial.chosen());
        CHECK(trial.chosen().find("unit_ring, k shared in clusters of " + std::to_string(ranks)) !=
              std::string::npos);
    }
}

// Elements without such zero points are no whole numbers: rows that are not few come by another ring.
TEST_CASE("zero points that are numbers") {
    using namespace fade;
    constexpr weight_format format{.order = weight_order::gptq,
                                   .scale = weight_scale::binary16,
                                   .group = 64,
                                   .zero = weight_zero::as_scales};
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const int parts : {1, 2}) {
        const test::weight_case c{.problem = {.m = 61, .n = 104, .k = 1024},
                                  .split_k = parts,
                                  .compute_units = 64,
                                  .seed = random()};
        INFO(c);
        test::weight_trial<format, bf16, bf16> trial(c);
        std::set<std::string> reached;
        CHECK(trial.run<arch::sm_90a>(reached) == "");
        INFO(trial.chosen());
        CHECK(trial.chosen().find("sliced_ring") != std::string::npos);
    }
}

// The parts in bf16 of an infinite scale of f16: infinity, and a rest that makes no NaN of it.
TEST_CASE("infinite scales of f16") {
    using namespace fade;
    auto device = test::device_of<arch::sm_90a>(1, 64);
    test::matrix<bf16> a({1, 256, 256}), d({1, 8, 8});
    a.each([&](fade::index b, fade::index i, fade::index j) { a.at(b, i, j) = test::nearest<bf16>(1); });
    // On the heap, as a GPU reads them where this test runs on one.
    const std::vector<std::uint32_t> words(32 * 8, 0x99999999u), zeros(4);
    std::vector<f16> scales(4 * 8);
    for (f16& scale : scales) scale.bits = 0x7c00;
    const std::vector<float> none(8);
    weight_gemm<weights::gptq(64), bf16>(device, {.m = 1, .n = 8, .k = 256},
                                         {.a = a.data(),
                                          .weights = words.data(),
                                          .scales = scales.data(),
                                          .zeros = zeros.data(),
                                          .d = d.data()},
                                         bias(none));
    d.each([&](fade::index b, fade::index i, fade::index j) {
        CHECK(to_f32(d.at(b, i, j)) == std::numeric_limits<float>::infinity());
    });
}

// What waves and the workgroups of a cluster have summed goes through a gate: half as many columns.
TEST_CASE("gates of packed weights that stream") {
    using namespace fade;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    auto device = test::device_of<arch::sm_90a>(1, 64);
    for (const int split : {1, 2}) {
        const fade::index m = 9, n = 72, k = 1024;
        test::quantised<weights::gptq(128)> w(n, k, 0, random);
        test::matrix<f16> a({m, k, k});
        a.fill(random, 1);
        std::vector<float> plain(m * n), gates(m * n / 2);
        const weight_gemm_problem p{.m = m, .n = n, .k = k};
        const auto call = [&](float* d, const auto& epilogue) {
            return weight_gemm<weights::gptq(128), f16, float>(
                device, p,
                {.a = a.data(), .weights = w.words(), .scales = w.scales(), .zeros = w.zeros(), .d = d},
                epilogue, {.split_k = split});
        };
        call(plain.data(), epilogue::none{});
        const report said = call(gates.data(), swiglu());
        INFO(said.chosen);
        CHECK(said.chosen.find("wave_ring") != std::string::npos);
        for (std::size_t i = 0; i < gates.size(); ++i) {
            const double x = plain[2 * i], want = x / (1 + std::exp(-x)) * plain[2 * i + 1];
            CHECK(gates[i] == doctest::Approx(want).epsilon(1e-5));
        }
    }
}
