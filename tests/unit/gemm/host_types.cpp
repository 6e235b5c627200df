// Every type that the host multiplies, once.
#include "common/numbers.hpp"
#include <array>
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

using namespace fade;

TEST_CASE_TEMPLATE("the host multiplies", T, double, float, f16, bf16, i8, f8e4m3, f8e5m2, f8e4m3fnuz,
                   f8e5m2fnuz) {
    using out = std::conditional_t<std::is_same_v<T, i8>, i32, std::conditional_t<sizeof(T) == 1, bf16, T>>;
    host_device cpu;
    for (const auto& [m, n, k] : {std::array{33, 21, 17}, {3, 21, 133}, {33, 1, 133}, {1, 21, 133}})
        for (const auto layout : {gemm_layout::nn, gemm_layout::tt}) {
            const std::vector<T> a(std::size_t(m * k), convert<T>(1.0)),
                b(std::size_t(k * n), convert<T>(2.0));
            std::vector<out> d(std::size_t(m * n), convert<out>(0.0));
            gemm<T, out>(cpu, {.m = m, .n = n, .k = k, .layout = layout},
                         {.a = a.data(), .b = b.data(), .d = d.data()});
            for (const out x : d) REQUIRE(convert<double>(x) == 2 * k);
        }
}
