// Every 8-bit floating-point value both ways, and every rounding around a tie.
#include "common/float8_pairs.hpp"
#include <doctest/doctest.h>

using namespace fade;

namespace {

template <class T>
int wrong_values() {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
        const T x{std::uint8_t(bits)};
        const double want = test::value_of(x), wide = double(convert<float>(x));
        wrong +=
            std::isnan(want) ? !std::isnan(wide) : wide != want || std::signbit(wide) != std::signbit(want);
        wrong += !test::same_number<T>(convert<T>(convert<float>(x)).bits, bits);
    }
    return wrong;
}

/// All f32 whose upper 16 bits are given, with lower bits on, beside and between what could be ties.
template <class T>
int wrong_roundings() {
    int wrong = 0;
    for (std::uint32_t upper = 0; upper < 65536; ++upper)
        for (const std::uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            const auto x = std::bit_cast<float>(upper << 16 | low);
            wrong += !test::same_number<T>(convert<T>(x).bits, test::encode(test::format_of<T>, double(x)));
        }
    return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("every pair is exact in f16", T, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz) {
    CHECK(test::wrong_pairs<T>() == 0);
}

TEST_CASE_TEMPLATE("every value is exact in f32 and comes back", T, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz) {
    CHECK(wrong_values<T>() == 0);
}

TEST_CASE_TEMPLATE("f32 rounds to nearest, ties to even", T, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz) {
    CHECK(wrong_roundings<T>() == 0);
}
