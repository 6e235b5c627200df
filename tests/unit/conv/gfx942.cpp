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
