// Primitives on emulated GPUs, whose vendors' kernels nobody emulates: this CPU computes them, and they say
// so.
#include "common/primitive_suite.hpp"

TEST_CASE("primitives on an emulated gfx942") {
    fade::emulated_device<fade::arch::gfx942> device;
    primitives::check_sorts<float>(device);
    primitives::check_reductions<fade::bf16>(device);
    primitives::check_top_k<float>(device);
}

TEST_CASE("the report says who computed") {
    fade::emulated_device<fade::arch::gfx1100> device;
    fade::host_device host;
    const float x[] = {3, 1, 2};
    float y[3];
    const fade::report emulated = fade::sort(device, {3}, x, y), here = fade::sort(host, {3}, x, y);
    CHECK(emulated.fallback);
    CHECK(emulated.why.find("not emulated") != std::string::npos);
    CHECK(emulated.arch == "gfx1100");
    CHECK(emulated.chosen == "the C++ standard library");
    CHECK_FALSE(here.fallback);
    CHECK(here.requested == "sort 3 elements");
    CHECK_THROWS_AS(fade::sort(device, {3}, x, y, {.strict = true}), fade::error);
    CHECK_NOTHROW(fade::sort(host, {3}, x, y, {.strict = true}));
}

TEST_CASE("a plan runs nothing") {
    fade::host_device host;
    const int x[] = {3, 1, 2};
    int y[] = {-7, -7, -7};
    fade::operation_plan plan;
    fade::inclusive_scan(host, {3}, x, y, {.plan = &plan});
    CHECK(y[0] == -7);
    CHECK(plan.report.requested == "inclusive_scan 3 elements");
    CHECK(plan.workspace_bytes == 0);
}
