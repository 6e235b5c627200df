// Fallbacks under strict mode, readings that were not compiled, devices that cannot be.
#include "common/refusal.hpp"

using namespace fade;

namespace {
using device = emulated_device<arch::gfx942>;
}

TEST_CASE("strict mode refuses a fallback and says why; without it the report does") {
    device d({.threads = 1});
    const auto r =
        test::refusal_of<f16>(d, [](auto& call) { call.problem.lda = 9, call.options.strict = true; });
    test::check_refusal(r, "strict", "set", "fallback");
    CHECK(r.rule.find("rows of A") != std::string::npos);
    CHECK(test::refusal_of<f16>(d, [](auto& call) { call.options.strict = true; }).sentence == "");

    test::small_call<f16> call;
    call.problem.ldb = 11;
    const report told = gemm<f16>(d, call.problem, call.operands);
    CHECK(told.fallback);
    CHECK(told.why.find("rows of B") != std::string::npos);
}

TEST_CASE("a reading that was not compiled is an error that names it") {
    device d({.threads = 1});
    const auto layout = test::refusal_of<f16, only(operand_access::nt)>(d, [](auto&) {});
    test::check_refusal(layout, "Kernels", "without nn", "template argument");
    const auto strided =
        test::refusal_of<f16, only(operand_access::nn)>(d, [](auto& call) { call.problem.lda = 9; });
    test::check_refusal(strided, "Kernels", "without strided", "template argument");
    CHECK(test::refusal_of<f16, only(operand_access::nn)>(d, [](auto&) {}).sentence == "");
}

TEST_CASE("a device needs a thread") {
    for (const int threads : {0, -1}) {
        CHECK_THROWS_AS(host_device{threads}, error);
        CHECK_THROWS_AS(device({.threads = threads}), error);
    }
}

TEST_CASE("a chain chosen at run time holds at most eight stages") {
    any_chain<float> chain;
    for (int i = 0; i < 8; ++i) chain.push(stage_kind::relu);
    CHECK_THROWS_AS(chain.push(stage_kind::relu), error);
    CHECK(chain.count == 8);
}

TEST_CASE("sharing k: how many, and memory for it") {
    device d({.threads = 1});
    const auto asked = [](int split_k) { return [=](auto& call) { call.options.split_k = split_k; }; };
    for (const int wrong : {-1, 4097})
        test::check_refusal(test::refusal_of<f16>(d, asked(wrong)), "split_k", std::to_string(wrong),
                            "between 1 and 4096");
    f32 little[16];
    const auto r = test::refusal_of<f16>(d, [&](auto& call) {
        call.problem.k = 128,
        call.options = {.split_k = 2, .workspace = little, .workspace_bytes = sizeof little};
    });
    test::check_refusal(r, "workspace_bytes", "64", std::to_string(2 * 8 * 8 * 4));
}

TEST_CASE("grids that cannot be launched") {
    device d({.threads = 1});
    const auto far = [](auto& call, gemm_problem p) {
        call.problem = p, call.operands = test::far_from_one_another<f16>();
    };
    const auto tiles = test::refusal_of<f16>(
        d, [&](auto& call) { far(call, {.m = (fade::index(1) << 31) - 8, .n = 1 << 20, .k = 8}); });
    CHECK(tiles.argument == "m x n");
    CHECK(tiles.rule.find("2^31 - 1 tiles") != std::string::npos);
    const auto layers = test::refusal_of<f16>(d, [&](auto& call) {
        far(call, {.m = 8, .n = 8, .k = 4096, .batch = 65535}), call.options.split_k = 2;
    });
    CHECK(layers.argument == "batch x split_k");
}
