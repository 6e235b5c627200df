// Integers that leave their 32 bits wherever a product adds or multiplies. Compiled so that signed overflow,
// which C++ leaves undefined, ends the program.
#include "common/gemm_suite.hpp"

using namespace fade;

namespace {

template <class Arch>
constexpr auto kernels = only(operand_access::nt, operand_access::strided);

/// Sums, scalars and stages that leave 32 bits, against the same in 64 bits modulo 2^32.
template <class Arch>
fade::index wrong_modulo(int split_k) {
    auto random = test::fresh_random();
    const fade::index m = 13, n = 19, k = 700;
    std::vector<i8> a(std::size_t(m * k)), b(std::size_t(n * k));
    std::vector<i32> c(std::size_t(m * n)), d(std::size_t(m * n)), columns(static_cast<std::size_t>(n)),
        other(c);
    for (auto* v : {&a, &b})
        for (i8& x : *v) x = i8(-128 + int(random() % 4));
    for (auto* v : {&c, &columns, &other})
        for (i32& x : *v) x = i32(random());
    const gemm_problem p{
        .m = m, .n = n, .k = k, .layout = gemm_layout::nt, .alpha = 2147483647, .beta = -2147483647};
    auto device = test::device_of<Arch>(2, 64);
    gemm<i8, i32, kernels<Arch>>(device, p, {.a = a.data(), .b = b.data(), .c = c.data(), .d = d.data()},
                                 bias(columns.data()) | residual(other.data(), n) | mul(other.data(), n) |
                                     bias_col(columns.data()),
                                 {.split_k = split_k});
    fade::index wrong = 0;
    for (fade::index i = 0; i < m; ++i)
        for (fade::index j = 0; j < n; ++j) {
            std::uint64_t v = 0;
            for (fade::index x = 0; x < k; ++x)
                v += std::uint64_t(int(a[std::size_t(i * k + x)]) * int(b[std::size_t(j * k + x)]));
            const auto at = std::size_t(i * n + j);
            const auto bits = [](i32 x) { return std::uint64_t(x); };
            v = v * 2147483647u - bits(c[at]) * 2147483647u + bits(columns[std::size_t(j)]) + bits(other[at]);
            v = v * bits(other[at]) + bits(columns[std::size_t(i)]);
            wrong += std::uint32_t(d[at]) != std::uint32_t(v);
        }
    return wrong;
}

}  // namespace

TEST_CASE("modulo 2^32") {
    for (const int split_k : {1, 3}) {
        CHECK(wrong_modulo<arch::host>(split_k) == 0);
        CHECK(wrong_modulo<arch::gfx942>(split_k) == 0);
        CHECK(wrong_modulo<arch::gfx1030>(split_k) == 0);
    }
}
