// Fallbacks under strict mode, readings that were not compiled, devices that cannot be.
#include "common/refusal.hpp"

using namespace fade;

namespace {
using device = emulated_device<arch::gfx942>;
}

TEST_CASE("strict mode refuses a fallback and says why; without it the report does") {
    device d({.threads = 1});
    const auto r = test::refusal_of<f16>(d, [](auto& call) { call.problem.lda = 9, call.options.strict = true; });
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
    const auto layout = test::refusal_of<f16, only(gemm_reading::nt)>(d, [](auto&) {});
    test::check_refusal(layout, "Kernels", "without nn", "template argument");
    const auto strided = test::refusal_of<f16, only(gemm_reading::nn)>(d, [](auto& call) { call.problem.lda = 9; });
    test::check_refusal(strided, "Kernels", "without strided", "template argument");
    CHECK(test::refusal_of<f16, only(gemm_reading::nn)>(d, [](auto&) {}).sentence == "");
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
