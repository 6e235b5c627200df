// Every type that the host multiplies, once.
#include "common/numbers.hpp"
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

using namespace fade;

TEST_CASE_TEMPLATE("the host multiplies", T, double, float, f16, bf16, i8, f8e4m3, f8e5m2, f8e4m3fnuz,
                   f8e5m2fnuz) {
    using out = std::conditional_t<std::is_same_v<T, i8>, i32, std::conditional_t<sizeof(T) == 1, bf16, T>>;
    const std::vector<T> a(33 * 17, convert<T>(1.0)), b(17 * 21, convert<T>(2.0));
    std::vector<out> d(33 * 21, convert<out>(0.0));
    host_device cpu;
    gemm<T, out>(cpu, {.m = 33, .n = 21, .k = 17}, {.a = a.data(), .b = b.data(), .d = d.data()});
    for (const out x : d) REQUIRE(convert<double>(x) == 34);
}
