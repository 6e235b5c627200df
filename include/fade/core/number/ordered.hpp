// Numbers with their places, in one total order: by value, NaN above all, then the first place.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// A number of f32 and where it stands. `key` orders the numbers as unsigned integers.
struct placed_number {
    std::uint32_t key;
    int place;

    /// Behind all numbers that there are.
    FADE_FN static constexpr placed_number nothing() { return {0, 0x7fffffff}; }
    static constexpr std::uint32_t key_of_nan = 0xffffffffu;
    /// Without branches, which GPUs would take lane by lane.
    FADE_FN static constexpr placed_number of(float x, int place) {
        const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7fffffffu;
        const std::uint32_t key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
        // Both zeros are equal.
        return {magnitude > 0x7f800000u ? key_of_nan : magnitude == 0 ? 0x80000000u : key, place};
    }
    FADE_FN constexpr float number() const {
        if (key == key_of_nan) return std::bit_cast<float>(0x7fc00000u);
        return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
    }
    /// Before all that there are.
    FADE_FN static constexpr placed_number everything() { return {0xffffffffu, -1}; }
    /// Both in one number: what comes before is larger.
    FADE_FN constexpr std::uint64_t word() const {
        return std::uint64_t(key) << 32 | (0x7fffffffu - std::uint32_t(place));
    }
    FADE_FN static constexpr placed_number of_word(std::uint64_t word) {
        return {std::uint32_t(word >> 32), int(0x7fffffffu - std::uint32_t(word))};
    }
    FADE_FN constexpr bool before(const placed_number& o) const {
        return key > o.key || (key == o.key && place < o.place);
    }
};

/// Field by field: a choice between two objects would keep them in memory.
FADE_FN constexpr placed_number chosen(bool first, const placed_number& a, const placed_number& b) {
    return {first ? a.key : b.key, first ? a.place : b.place};
}

struct first_placed {
    FADE_FN constexpr placed_number operator()(const placed_number& a, const placed_number& b) const {
        return chosen(a.before(b), a, b);
    }
};

/// A number as a word, in the order of numbers; minus zero comes before zero. And back.
FADE_FN constexpr std::uint32_t ordered_word(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return bits ^ (std::uint32_t(std::int32_t(bits) >> 31) | 0x80000000u);
}
FADE_FN constexpr float ordered_number(std::uint32_t word) {
    return std::bit_cast<float>(word ^ (~std::uint32_t(std::int32_t(word) >> 31) | 0x80000000u));
}

/// Of two words the larger, or the lower: types of their own, for which a machine may have instructions.
struct larger_word {
    FADE_FN constexpr std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        return a < b ? b : a;
    }
};
struct lower_word {
    FADE_FN constexpr std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        return a < b ? a : b;
    }
};

}  // namespace FADE_NAMESPACE
