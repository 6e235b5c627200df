// Bytes of registers picked out and widened, for machines that a compiler for CPUs makes code for.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::backend {

/// The bytes that the four hexadecimal digits of Which name, the last digit the lowest byte: 0 to 3 are those
/// of a, 4 to 7 those of b.
template <std::uint32_t Which>
constexpr std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t both = a | std::uint64_t(b) << 32;
    std::uint32_t out = 0;
    for (int i = 0; i < 4; ++i) out |= std::uint32_t(both >> (Which >> 4 * i & 7u) * 8 & 0xffu) << 8 * i;
    return out;
}

/// Two 8-bit floats T as two f16: elements `at` and at + 1 of register a if Neighbours, else elements `at` of
/// a and of b.
template <class T, bool Neighbours>
FADE_FN constexpr std::uint32_t widen(std::uint32_t a, std::uint32_t b, int at) {
    const auto one = [](std::uint32_t from, int place) {
        return std::uint32_t(convert<f16>(T{std::uint8_t(from >> 8 * place)}).bits);
    };
    return one(a, at) | (Neighbours ? one(a, at + 1) : one(b, at)) << 16;
}

/// Two numbers as the f16 of a register, each rounded to nearest, ties to even; and back.
FADE_FN constexpr std::uint32_t round_halves(float a, float b) {
    return to_f16(a).bits | std::uint32_t(to_f16(b).bits) << 16;
}
FADE_FN constexpr vec<float, 2> widen_halves(std::uint32_t x) {
    return {to_f32(f16{std::uint16_t(x)}), to_f32(f16{std::uint16_t(x >> 16)})};
}

/// Two f16 of a register: (x - zero) * scale, each step rounded to f16, ties to even.
FADE_FN constexpr std::uint32_t scale_halves(std::uint32_t x, std::uint32_t zero, std::uint32_t scale) {
    const auto half = [](std::uint32_t from, int place) {
        return to_f32(f16{std::uint16_t(from >> 16 * place)});
    };
    const auto one = [&](int i) {
        const float difference = to_f32(to_f16(half(x, i) - half(zero, i)));
        return std::uint32_t(to_f16(difference * half(scale, i)).bits);
    };
    return one(0) | one(1) << 16;
}

/// Two bf16 of a register: (x - zero) * (scale + rest), each step rounded to bf16, ties to even; a sum and
/// its product are rounded together. f32 holds what is rounded.
FADE_FN constexpr std::uint32_t scale_bfloats(std::uint32_t x, std::uint32_t zero, std::uint32_t scale,
                                              std::uint32_t rest) {
    const auto of = [](std::uint32_t from, int place) {
        return to_f32(bf16{std::uint16_t(from >> 16 * place)});
    };
    const auto one = [&](int i) {
        const float difference = to_f32(to_bf16(of(x, i) - of(zero, i)));
        const float small = to_f32(to_bf16(difference * of(rest, i)));
        return std::uint32_t(to_bf16(difference * of(scale, i) + small).bits);
    };
    return one(0) | one(1) << 16;
}

}  // namespace FADE_NAMESPACE::backend
