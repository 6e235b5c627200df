// Every 16-bit float, alone among zeros, and f32 at the edges of infinity.
#include <cstring>
#include <doctest/doctest.h>
#include <fade/core/number/any_nan.hpp>
#include <limits>

namespace {

template <class T>
void check_every_pattern() {
    int wrong = 0;
    for (int place = 0; place < 4; ++place)
        for (unsigned bits = 0; bits < 65536; ++bits) {
            fade::vec<T, 4> x{};
            const auto pattern = std::uint16_t(bits);
            std::memcpy(static_cast<void*>(&x[place]), &pattern, 2);
            wrong += fade::any_nan(x) != fade::is_nan(fade::convert<float>(x[place]));
        }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a NaN of any bits is found among 16-bit floats, and infinity is none") {
    check_every_pattern<fade::f16>();
    check_every_pattern<fade::bf16>();
}

TEST_CASE("a NaN among f32") {
    using limits = std::numeric_limits<float>;
    CHECK_FALSE(fade::any_nan(fade::vec<float, 2>{limits::infinity(), -limits::infinity()}));
    CHECK(fade::any_nan(fade::vec<float, 2>{0.0f, limits::quiet_NaN()}));
}
