// Every 16-bit value both ways, and every rounding that has a neighbour on either side of a tie.
#include "common/numbers.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>
#include <random>

using namespace fade;

namespace {

template <class T>
T rounded(float x) {
    return convert<T>(x);
}

template <class T>
bool is_nan(T x) {
    return (x.bits & (test::format_of<T>.sign() - 1)) > test::format_of<T>.infinity();
}

/// Does x become the value that the tests' own arithmetic says? NaN must become a quiet NaN with the sign and
/// the upper bits of its own.
template <class T>
bool rounds_right(float x) {
    const T got = rounded<T>(x);
    const auto want = test::encode(test::format_of<T>, double(x));
    if (!std::isnan(x)) return got.bits == want;
    constexpr auto format = test::format_of<T>;
    const std::uint32_t quiet = 1u << (format.mantissa - 1);
    const std::uint32_t kept = std::bit_cast<std::uint32_t>(x) >> (23 - format.mantissa) & (quiet - 1);
    return got.bits == ((std::signbit(x) ? format.sign() : 0u) | format.infinity() | quiet | kept);
}

/// All f32 that share their upper bits with a T, with lower bits on, beside and between the ties.
template <class T>
int wrong_roundings(std::mt19937_64& random) {
    const int dropped = 23 - test::format_of<T>.mantissa;
    const std::uint32_t tie = 1u << (dropped - 1), last = (1u << dropped) - 1;
    int wrong = 0;
    for (std::uint64_t upper = 0; upper < std::uint64_t(1) << (32 - dropped); ++upper)
        for (const std::uint32_t low : {0u, 1u, tie - 1, tie, tie + 1, last, std::uint32_t(random()) & last})
            wrong += !rounds_right<T>(std::bit_cast<float>(std::uint32_t(upper << dropped) | low));
    return wrong;
}

/// The subnormal results of f16 drop more bits: numbers around the middle between each two of them.
int wrong_subnormals() {
    int wrong = 0;
    for (int i = 0; i < 1024; ++i) {
        const float middle = float(std::ldexp(i + 0.5, -24));
        for (const float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1.0f)})
            wrong += !rounds_right<f16>(x) + !rounds_right<f16>(-x);
    }
    return wrong;
}

template <class T>
void check_all_values() {
    int wrong = 0, changed = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const T x{std::uint16_t(bits)};
        const float wide = convert<float>(x);
        const double want = test::value_of(x);
        wrong +=
            std::isnan(want) ? !std::isnan(wide) : wide != want || std::signbit(wide) != std::signbit(want);
        const std::uint32_t quiet = is_nan(x) ? 1u << (test::format_of<T>.mantissa - 1) : 0u;
        changed += rounded<T>(wide).bits != (x.bits | quiet);
    }
    CHECK(wrong == 0);
    CHECK(changed == 0);
}

template <class To, class From>
int wrong_between() {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const From x{std::uint16_t(bits)};
        const To got = convert<To>(x);
        wrong += is_nan(x) ? !is_nan(got) : got.bits != test::encode(test::format_of<To>, test::value_of(x));
    }
    return wrong;
}

}  // namespace

static_assert(convert<f16>(1.5f).bits == 0x3e00 && convert<bf16>(-2.0f).bits == 0xc000 &&
              convert<float>(f16{0x3555}) < 0.34f);

TEST_CASE("every f16 is exact in f32 and comes back") { check_all_values<f16>(); }
TEST_CASE("every bf16 is exact in f32 and comes back") { check_all_values<bf16>(); }

TEST_CASE("f32 to f16 and bf16 rounds to nearest, ties to even") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    CHECK(wrong_roundings<f16>(random) == 0);
    CHECK(wrong_roundings<bf16>(random) == 0);
    CHECK(wrong_subnormals() == 0);
}

TEST_CASE("between the 16-bit types there is one rounding") {
    CHECK(wrong_between<f16, bf16>() == 0);
    CHECK(wrong_between<bf16, f16>() == 0);
    CHECK(wrong_between<f16, f16>() == 0);
    CHECK(wrong_between<bf16, bf16>() == 0);
}

TEST_CASE("names and sizes of the types") {
    CHECK(std::string(name(dtype_v<f16>)) == "f16");
    CHECK(std::string(name(dtype_v<bf16>)) == "bf16");
    CHECK(std::string(name(dtype_v<f32>)) == "f32");
    for (const dtype t : {dtype_v<f64>, dtype_v<f32>, dtype_v<f16>, dtype_v<bf16>, dtype_v<i8>, dtype_v<i32>})
        CHECK(bytes_of(t) > 0);
    CHECK(bytes_of(dtype_v<f16>) == sizeof(f16));
    CHECK(bytes_of(dtype_v<f64>) == sizeof(f64));
}
