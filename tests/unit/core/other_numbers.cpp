// Types of languages, vendors and frameworks for FADE's numbers: as values and behind pointers.
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <fade/attention.hpp>
#include <fade/gemm.hpp>
#include <random>

// What vendors' headers define, without the headers.
struct __half {
    std::uint16_t bits;
};
struct __nv_bfloat16 {
    std::uint16_t bits;
};
namespace c10 {
struct Float8_e4m3fn {
    std::uint8_t bits;
};
}  // namespace c10
struct my_half {
    std::uint16_t bits;
};
template <>
inline constexpr bool fade::is_same_number<my_half, fade::f16> = true;

using namespace fade;

static_assert(is_same_number<_Float16, f16> && is_same_number<__half, f16> && is_same_number<my_half, f16>);
static_assert(is_same_number<__nv_bfloat16, bf16> && is_same_number<c10::Float8_e4m3fn, f8e4m3>);
static_assert(!is_same_number<_Float16, bf16> && !is_same_number<float, f16> &&
              !is_same_number<std::uint16_t, f16>);
static_assert(!is_same_number<c10::Float8_e4m3fn, f8e4m3fnuz>);
static_assert(std::is_aggregate_v<f16> && std::is_trivial_v<f16> && sizeof(f16) == 2);

TEST_CASE("every half has the same bits in all types for it") {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const f16 ours{std::uint16_t(bits)};
        const auto theirs = static_cast<_Float16>(ours);
        CHECK_EQ(std::bit_cast<std::uint16_t>(theirs), bits);
        CHECK_EQ(to_f16(theirs).bits, bits);
        CHECK_EQ(to_f16(static_cast<__half>(ours)).bits, bits);
        CHECK_EQ(to_bf16(static_cast<__nv_bfloat16>(bf16{ours.bits})).bits, bits);
        const float value = float(theirs);
        if (value == value) CHECK_EQ(to_f32(theirs), value);
        if (value == value) CHECK_EQ(to_f32(ours), value);
        if (value == value) CHECK_EQ(convert<f32>(static_cast<my_half>(ours)), value);
    }
}

TEST_CASE("gemm takes memory of other types for its numbers, one thread and many") {
    std::mt19937 random(std::random_device{}());
    for (const int threads : {1, 3}) {
        constexpr int n = 40;
        std::array<_Float16, n * n> a, b, d;
        std::array<float, n * n> d_of_f32{};
        for (auto& x : a) x = _Float16(int(random() % 9) - 4);
        for (auto& x : b) x = _Float16(int(random() % 9) - 4);
        d.fill(_Float16(777));
        host_device cpu(threads);
        gemm<f16>(cpu, {.m = n, .n = n, .k = n}, {.a = a.data(), .b = b.data(), .d = d.data()});
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                float sum = 0;
                for (int k = 0; k < n; ++k) sum += float(a[i * n + k]) * float(b[k * n + j]);
                CHECK_EQ(float(d[i * n + j]), sum);
            }
        gemm<f16, float>(cpu, {.m = n, .n = n, .k = n}, {.a = a.data(), .b = b.data(), .d = d_of_f32.data()});
        CHECK_EQ(d_of_f32[n], float(d[n]));
    }
}

TEST_CASE("stages take memory of other types for its numbers") {
    constexpr int n = 16;
    std::array<float, n * n> a, b, d;
    std::array<_Float16, n> values;
    std::array<my_half, n * n> added;
    a.fill(1), b.fill(2), d.fill(777), values.fill(_Float16(3)), added.fill({to_f16(0.5f).bits});
    const auto chain = bias(values.data()) | residual(added.data(), n);
    const auto holds = [&](auto& device) {
        gemm<float>(device, {.m = n, .n = n, .k = n}, {.a = a.data(), .b = b.data(), .d = d.data()}, chain);
        for (const float x : d) CHECK_EQ(x, 35.5f);
    };
    host_device cpu;
    emulated_device<arch::gfx942> emulated;
    holds(cpu), holds(emulated);
}

TEST_CASE("attention takes memory of other types for its numbers") {
    constexpr int n = 24, dim = 16;
    std::array<__nv_bfloat16, n * dim> q, k, v, o;
    q.fill({to_bf16(0.5f).bits}), k.fill({to_bf16(0.25f).bits}), v.fill({to_bf16(3.0f).bits}), o.fill({0});
    host_device cpu;
    attention<bf16>(cpu, {.seq_q = n, .seq_k = n, .head_dim = dim},
                    {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()});
    for (const __nv_bfloat16 x : o) CHECK_EQ(to_f32(x), 3.0f);
}
