#include "common/conv_beside.hpp"
#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx942, f16, 60, 10)
FADE_CONV_SUITE(gfx942, f32, 30, 8)

TEST_CASE("a report quotes the audit of its own kernel, or none") {
    using namespace fade;
    using enum conv_pass;
    using tune::conv_evidence;
    const tune::conv_kernel kernel{forward, false, kernel::channel_access::chunks};
    const gemm_policy policy = tune::conv_policy<arch::gfx942, f16>(tune::size_class::large, kernel);
    CHECK(conv_evidence("gfx942", dtype::f16, kernel, policy) ==
          "static audit of this pass in f16 with these tiles, clang 22, without an epilogue: bound 100 %, "
          "played in "
          "order 100 %; no GPU was timed");
    const std::string none = "none: nobody audited or measured convolutions on gfx942";
    CHECK(conv_evidence("gfx942", dtype::f32, kernel, policy) == none);
    gemm_policy other = policy;
    other.waves_per_simd = 1;
    CHECK(conv_evidence("gfx942", dtype::f16, kernel, other) == none);
    CHECK(conv_evidence("gfx942", dtype::f16, {backward_data, true}, policy) == none);
}

TEST_CASE("large tiles are for results that fill them") {
    using namespace fade;
    const auto planned = [](int filters, int batch) {
        emulated_device<arch::gfx942> device({.threads = 1, .compute_units = 304});
        const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };
        const conv_problem p{.batch = batch,
                             .channels = 64,
                             .filters = filters,
                             .input = {.h = 56, .w = 56},
                             .filter = {.h = 3, .w = 3},
                             .pad = {.h = 1, .w = 1}};
        return plan_conv_forward<f16>(device, p, {.x = at(30), .w = at(34), .y = at(38)}).report;
    };
    CHECK(planned(256, 32).chosen.find("256x256x32") != std::string::npos);
    const report narrow = planned(64, 32), few = planned(256, 2);
    CHECK(narrow.chosen.find("256x64x16") != std::string::npos);
    CHECK(narrow.why.find("would lie beyond the result, so few columns have tiles of their own") !=
          std::string::npos);
    CHECK(planned(96, 32).chosen.find("128x128x32") != std::string::npos);
    CHECK(few.chosen.find("128x128x32") != std::string::npos);
    CHECK(few.why.find("would lie beyond the result") == std::string::npos);
}

TEST_CASE("gfx942 i8 with zero points") {
    fade::test::quantized_suite<fade::arch::gfx942, fade::i8, fade::i8>(24);
}
TEST_CASE("gfx942 f8e4m3fnuz with scales") {
    fade::test::quantized_suite<fade::arch::gfx942, fade::f8e4m3fnuz, fade::f16>(12);
}

TEST_CASE("gfx942: pixels of x beside each other") {
    fade::test::check_beside<fade::arch::gfx942, fade::f16>(12);
}
