// All pairs of 8-bit floats as f16, held against what their bits mean.
#pragma once
#include "common/numbers.hpp"
#include <fade/core/number/float8_pairs.hpp>

namespace fade::test {

/// Are bits of T the same number, whichever NaN?
template <class T>
bool same_number(std::uint32_t got, std::uint32_t want) {
    const double a = decode(format_of<T>, got), b = decode(format_of<T>, want);
    return std::isnan(b) ? std::isnan(a) : got == want;
}

/// What machines do with both halves of a register.
struct pair_machine {
    static std::uint32_t times(std::uint32_t both, float factor) {
        const auto one = [&](std::uint32_t bits) {
            return encode(format_of<f16>, decode(format_of<f16>, bits) * double(factor));
        };
        return one(both & 0xffffu) | one(both >> 16) << 16;
    }
    static std::uint32_t shifted(std::uint32_t both) {
        const auto one = [](std::uint32_t bits) {
            return std::uint32_t(std::uint16_t(std::int16_t(bits) >> 1));
        };
        return one(both & 0xffffu) | one(both >> 16) << 16;
    }
};

template <class T>
int wrong_pairs() {
    int wrong = 0;
    for (std::uint32_t first = 0; first < 256; ++first)
        for (std::uint32_t second = 0; second < 256; ++second) {
            const std::uint32_t got = f16_pair<T, pair_machine>(
                first << 8 | second << 24 | (first * 37 & 0xffu) | (second * 41 & 0xffu) << 16);
            const auto of = [](std::uint32_t x) {
                return encode(format_of<f16>, value_of(T{std::uint8_t(x)}));
            };
            wrong += !same_number<f16>(got & 0xffffu, of(first)) || !same_number<f16>(got >> 16, of(second));
        }
    return wrong;
}

}  // namespace fade::test
