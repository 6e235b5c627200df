// The 16-bit floating-point types, as storage: arithmetic happens in f32.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/dtype_names.hpp>
#include <fade/core/same_number.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// IEEE 754 binary16. static_cast makes a _Float16, a __half or another type for these numbers of it, and
/// to_f16 makes it of them.
struct f16 {
    std::uint16_t bits;  ///< as in memory
    /// The same number as another type for it.
    template <other_type_of<f16> T>
    FADE_FN explicit constexpr operator T() const {
        return std::bit_cast<T>(*this);
    }
};

/// bfloat16: the upper half of a binary32. static_cast and to_bf16 lead to a __hip_bfloat16, a __nv_bfloat16
/// or another type for these numbers, and back.
struct bf16 {
    std::uint16_t bits;  ///< as in memory
    /// The same number as another type for it.
    template <other_type_of<bf16> T>
    FADE_FN explicit constexpr operator T() const {
        return std::bit_cast<T>(*this);
    }
};

/// Exact; infinity stays, NaN becomes a quiet NaN with the same bits below, as by instructions of CPUs and
/// AMD GPUs. Subnormals are normal numbers of f32 on their way, so that what a CPU makes of f32's subnormals
/// (-ffast-math has it take them for zero) does not matter.
FADE_FN constexpr float to_f32(f16 x) {
#ifdef FADE_NATIVE_F16
    if (!std::is_constant_evaluated()) return static_cast<float>(std::bit_cast<_Float16>(x));
#endif
    const std::uint32_t sign = std::uint32_t(x.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = std::uint32_t(x.bits & 0x7fffu) << 13;
    const float small = std::bit_cast<float>(magnitude + 0x38800000u) - std::bit_cast<float>(0x38800000u);
    const std::uint32_t special = magnitude > 0x0f800000u ? 0x7fc00000u : 0x7f800000u;
    const std::uint32_t normal = (magnitude + 0x38000000u) | (magnitude >= 0x0f800000u ? special : 0u);
    return std::bit_cast<float>(sign |
                                (magnitude < 0x00800000u ? std::bit_cast<std::uint32_t>(small) : normal));
}

FADE_FN constexpr float to_f32(bf16 x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }

/// Nearest, ties to even; overflow becomes infinity, NaN a quiet NaN with the upper bits of its own.
FADE_FN constexpr f16 to_f16(float value) {
#ifdef FADE_NATIVE_F16
    if (!std::is_constant_evaluated()) return std::bit_cast<f16>(static_cast<_Float16>(value));
#endif
    const std::uint32_t all = std::bit_cast<std::uint32_t>(value), x = all & 0x7fffffffu;
    const std::uint32_t sign = (all >> 16) & 0x8000u;
    // Adding 0.5 shifts a subnormal result to where the f32 addition rounds it.
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(x) + 0.5f) - 0x3f000000u;
    const std::uint32_t normal = (x + 0xc8000fffu + ((x >> 13) & 1u)) >> 13;
    const std::uint32_t special = x > 0x7f800000u ? 0x7e00u | ((x >> 13) & 0x1ffu) : 0x7c00u;
    return {std::uint16_t(sign | (x >= 0x47800000u ? special : x < 0x38800000u ? small : normal))};
}

/// Nearest, ties to even; NaN stays a quiet NaN.
FADE_FN constexpr bf16 to_bf16(float value) {
    const std::uint32_t x = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (x + 0x7fffu + ((x >> 16) & 1u)) >> 16;
    return {std::uint16_t((x & 0x7fffffffu) > 0x7f800000u ? (x >> 16) | 0x40u : rounded)};
}

/// The same number from a language's or a vendor's type: the same bits.
template <other_type_of<f16> T>
FADE_FN constexpr f16 to_f16(T x) {
    return std::bit_cast<f16>(x);
}
template <other_type_of<bf16> T>
FADE_FN constexpr bf16 to_bf16(T x) {
    return std::bit_cast<bf16>(x);
}
template <other_type_of<f16> T>
FADE_FN constexpr float to_f32(T x) {
    return to_f32(to_f16(x));
}
template <other_type_of<bf16> T>
FADE_FN constexpr float to_f32(T x) {
    return to_f32(to_bf16(x));
}

}  // namespace FADE_NAMESPACE
