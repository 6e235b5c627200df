// What scaled_gemm refuses, each with a sentence and nothing written.
#include "common/scaled_trial.hpp"
#include <doctest/doctest.h>

using namespace fade;

namespace {

/// The argument that a call refuses; empty where it runs.
template <class Call>
std::string refused_by(Call call) {
    try {
        call();
    } catch (const error& e) {
        const std::string said = e.what();
        return said.substr(0, said.find(' '));
    }
    return "";
}

struct small_product {
    scaled_gemm_problem problem{.m = 4, .n = 8, .k = 130};
    std::vector<f8e4m3> a = std::vector<f8e4m3>(4 * 130), b = std::vector<f8e4m3>(8 * 130);
    std::vector<float> scale_a = std::vector<float>(4 * 2, 1.f), scale_b = std::vector<float>(2, 1.f);
    std::vector<bf16> d = std::vector<bf16>(4 * 8, test::poison<bf16>());
    scaled_gemm_operands<f8e4m3, bf16> operands{
        .a = a.data(), .b = b.data(), .d = d.data(), .scale_a = scale_a.data(), .scale_b = scale_b.data()};

    /// The argument that is refused; empty where the call runs.
    template <class Change>
    std::string refused(Change change) {
        change(*this);
        host_device host(1);
        const std::string argument = refused_by([&] { scaled_gemm(host, problem, operands); });
        for (const bf16 x : d) CHECK(test::is_poison(x) == !argument.empty());
        return argument;
    }
};

}  // namespace

TEST_CASE("arguments that cannot be") {
    const auto refused = [](auto change) { return small_product().refused(change); };
    CHECK(refused([](auto&) {}) == "");
    CHECK(refused([](auto& p) { p.problem.m = -1; }) == "m");
    CHECK(refused([](auto& p) { p.problem.lda = 129; }) == "lda");
    CHECK(refused([](auto& p) { p.problem.rows_per_scale = 0; }) == "rows_per_scale");
    CHECK(refused([](auto& p) { p.problem.rows_per_scale = 3; }) == "rows_per_scale");
    CHECK(refused([](auto& p) { p.problem.columns_per_scale = 96; }) == "columns_per_scale");
    CHECK(refused([](auto& p) { p.problem.scale_a_row = -2; }) == "scale_a_row");
    CHECK(refused([](auto& p) { p.problem.scale_a_k = 0; }) == "scale_a_k");
    CHECK(refused([](auto& p) { p.problem.scale_b_column = -1; }) == "scale_b_column");
    CHECK(refused([](auto& p) { p.problem.scale_b_k = 0; }) == "scale_b_k");
    CHECK(refused([](auto& p) { p.operands.a = nullptr; }) == "a");
    CHECK(refused([](auto& p) { p.operands.d = nullptr; }) == "d");
    CHECK(refused([](auto& p) { p.operands.scale_a = nullptr; }) == "scale_a");
    CHECK(refused([](auto& p) { p.operands.scale_b = nullptr; }) == "scale_b");
    CHECK(refused([](auto& p) { p.operands.scale_b = reinterpret_cast<const float*>(p.d.data()); }) == "d");
    CHECK(refused([](auto& p) { p.operands.d = reinterpret_cast<bf16*>(p.a.data()); }) == "d");
}

TEST_CASE("a D may begin right behind scales, and not before their end") {
    for (const bool of_a : {true, false})
        for (const int behind : {0, -1}) {
            alignas(16) float memory[32];  // eight scales of A or two of B, then D
            small_product p;
            std::fill(std::begin(memory), std::end(memory), 1.0f);
            (of_a ? p.operands.scale_a : p.operands.scale_b) = memory;
            p.operands.d = reinterpret_cast<bf16*>(memory + (of_a ? 8 : 2) + behind);
            host_device host(1);
            CAPTURE(of_a);
            CHECK(refused_by([&] { scaled_gemm(host, p.problem, p.operands); }) == (behind ? "d" : ""));
            std::fill(std::begin(memory), std::end(memory), 1.0f);
            p.operands.d = reinterpret_cast<bf16*>(memory);  // 16 floats long
            (of_a ? p.operands.scale_a : p.operands.scale_b) = memory + 16 + behind;
            CHECK(refused_by([&] { scaled_gemm(host, p.problem, p.operands); }) == (behind ? "d" : ""));
        }
}

TEST_CASE("what stages add has the shape of D, and a report names the tile") {
    small_product p;
    host_device host(1);
    const std::vector<float> of_rows(4, 0.5f), of_columns(8, 0.25f);
    const auto refused = [&](const auto& stages) {
        return refused_by([&] { scaled_gemm(host, p.problem, p.operands, stages); });
    };
    CHECK(refused(bias_col(of_rows) | bias(of_columns)) == "");
    CHECK(refused(bias(of_rows)) != "");
    CHECK(refused(swiglu() | bias(of_rows)) == "");  // a gate leaves four of eight columns
    p.problem.n = 7;
    CHECK(refused(swiglu()) == "n");
    p.problem.n = 8, p.problem.ldd = 3;
    CHECK(refused(geglu()) == "ldd");
    p.problem.ldd = 0;
    emulated_device<arch::gfx950> device;
    const gemm_plan plan = plan_scaled_gemm(device, p.problem, p.operands);
    const tile_shape& t = plan.policy.block_tile;
    CHECK(plan.report.chosen.find(" " + std::to_string(t.m) + "x" + std::to_string(t.n) + "x" +
                                  std::to_string(t.k) + ",") != std::string::npos);
}

TEST_CASE("scales beyond the reach of a tile") {
    small_product p;
    p.problem.m = 128, p.problem.scale_a_row = fade::index(1) << 32, p.problem.lda = 0;
    std::vector<f8e4m3> a(128 * 130);
    std::vector<bf16> d(128 * 8, test::poison<bf16>());
    p.operands.a = a.data(), p.operands.d = d.data();
    p.operands.scale_a =
        reinterpret_cast<const float*>(std::uintptr_t(1) << 45);  // far from D, never followed
    emulated_device<arch::gfx950> device;
    CHECK(refused_by([&] { scaled_gemm(device, p.problem, p.operands); }) == "scale_a_row");
    CHECK(test::is_poison(d[0]));
    p.problem.m = 4, p.problem.scale_a_row = fade::index(1) << 24;  // fewer rows than a tile has
    CHECK(plan_scaled_gemm(device, p.problem, p.operands).launches.size() > 0);
}

TEST_CASE("products without k, and without elements") {
    small_product p;
    p.problem.k = 0, p.operands.scale_a = p.operands.scale_b = nullptr;
    host_device host(1);
    scaled_gemm(host, p.problem, p.operands);
    for (const bf16 x : p.d) CHECK(test::value_of(x) == 0);
    for (const fade::index k : {0, 130}) {
        p.problem = {.m = 4, .n = 0, .k = k};
        CHECK(scaled_gemm<f8e4m3, bf16>(host, p.problem, {}).chosen == "nothing");
        p.problem = {.m = 0, .n = 8, .k = k};
        CHECK(scaled_gemm<f8e4m3, bf16>(host, p.problem, {}).chosen == "nothing");
    }
}

TEST_CASE("strict mode refuses what is read element by element") {
    small_product p;
    emulated_device<arch::gfx950> device;
    CHECK(refused_by(
              [&] { scaled_gemm(device, p.problem, p.operands, epilogue::none{}, {.strict = true}); }) != "");
    CHECK(plan_scaled_gemm(device, p.problem, p.operands).report.fallback);
}
