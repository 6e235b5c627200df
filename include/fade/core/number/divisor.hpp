// Division by a number that is known before a kernel runs.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Divides numbers below 2^31 by one product and two shifts, where GPUs have no instruction that divides.
/// With l = ceil(log2 d) and m = ceil(2^(31 + l) / d), floor(x m / 2^(31 + l)) = floor(x / d) for x < 2^31,
/// and m < 2^32 (Granlund and Montgomery, Division by Invariant Integers using Multiplication, theorem 4.2).
class divisor {
public:
    constexpr divisor() = default;
    constexpr explicit divisor(std::uint32_t d)
        : by_(d), shift_(int(std::bit_width(d - 1))),
          factor_(std::uint32_t(((1ull << (31 + shift_)) + d - 1) / d)) {}

    FADE_FN constexpr std::uint32_t by() const { return by_; }
    FADE_FN constexpr std::uint32_t quotient(std::uint32_t x) const {
        return std::uint32_t((std::uint64_t(2 * x) * factor_) >> 32) >> shift_;
    }

private:
    std::uint32_t by_ = 1;
    int shift_ = 0;
    std::uint32_t factor_ = 1u << 31;
};

}  // namespace FADE_NAMESPACE
