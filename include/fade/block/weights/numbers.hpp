// What a lane makes of the packed words of a patch: numbers of A's type, two at a time where registers hold
// two.
#pragma once
#include <fade/block/weights/patch.hpp>
#include <fade/core/dtype.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// The words of a patch, the scales of its rows and their zero points, as they were loaded.
template <weight_format Format, class Patch>
struct weight_words {
    template <int Bytes>
    using registers = vec<std::uint32_t, max_of(Bytes / 4, 1)>;
    static constexpr int scale_bytes = Patch::rows * Format.scale_bytes();
    static constexpr int zero_bytes = Format.packs_zeros()                ? 4
                                      : Format.zero == weight_zero::bytes ? 1
                                                                          : scale_bytes;
    vec<std::uint32_t, Patch::width> value[Patch::loads];
    registers<scale_bytes> scale;
    registers<zero_bytes> zero;
};

/// Have 8 neighbours along k a word, whose halves are two elements 4 apart once it is shifted?
template <weight_format Format, class Patch>
inline constexpr bool halves_are_apart =
    Patch::size == 2 && Format.bits() == 4 && Format.order != weight_order::awq && Patch::k % 8 == 0;

/// Which two of 8 neighbours along k a register holds that is asked for by an even k.
struct element_pair {
    int first, second;
    FADE_FN static constexpr element_pair of(int k, bool apart) {
        if (!apart) return {k, k + 1};
        const int first = k / 8 * 8 + k % 8 / 2;
        return {first, first + 4};
    }
};

/// Can elements without their zero points be numbers of 16 bits? Those are whole, and exact.
template <weight_format Format>
inline constexpr bool has_exact_differences =
    Format.whole() && Format.zero != weight_zero::as_scales && Format.bias >= -128 && Format.bias <= 128;

/// Apart: pairs are of two elements 4 apart. Unscaled: they are elements without their zero points, and sums
/// of them are scaled.
template <class Block, weight_format Format, class Patch, class In, bool Apart = false, bool Unscaled = false>
class weight_numbers {
    using words = weight_words<Format, Patch>;
    using target = typename Patch::target;
    static constexpr weight_element element = Format.element;
    static constexpr std::uint32_t mask = Format.bits() == 4 ? 15 : 255;
    static constexpr bool is_signed =
        element == weight_element::signed4 || element == weight_element::signed8;
    static constexpr std::uint32_t flip = !is_signed ? 0 : Format.bits() == 4 ? 8 : 128;
    static constexpr bool pairs = sizeof(target) == 2;
    static_assert(!pairs || Patch::k % 2 == 0);
    /// Are differences exact in f16?
    static constexpr bool by_differences =
        pairs && Format.zero != weight_zero::as_scales && Format.bias >= -int(flip) && 512 > Format.bias;
    /// And are scales such numbers? Then products are rounded once, as in f32.
    static constexpr bool by_halves =
        by_differences && std::is_same_v<In, f16> &&
        (Format.scale == weight_scale::binary16 || Format.scale == weight_scale::e4m3);
    /// Do products have no more bits than In?
    static constexpr bool exact =
        std::is_same_v<In, bf16> && element == weight_element::e2m1 && Format.scale_bytes() == 1;

    /// Are differences exact in bf16, and do two such hold a scale?
    static constexpr bool by_bfloats = by_differences && std::is_same_v<In, bf16> && Format.bits() == 4 &&
                                       Format.whole() && Format.scale == weight_scale::binary16 &&
                                       requires { Block::scale_bfloats(0u, 0u, 0u, 0u); };

    /// Are elements without a zero point so, too?
    static constexpr bool in_bfloats = std::is_same_v<In, bf16> && Format.bits() == 4;
    static_assert(!Unscaled || (pairs && has_exact_differences<Format>));

public:
    /// `row` and `depth`: where the patch is in its tile.
    FADE_FN weight_numbers(const words& from, int row, int depth) : shift_(Patch::shift(row, depth)) {
        FADE_UNROLL
        for (int r = 0; r < Patch::rows; ++r) {
            if constexpr (Unscaled)
                scale_[r] = number_of(scale_bits(from.scale, r)),
                half_zero_[r] = zero_pair(from, row, r, in_bfloats ? 0x4300u : 0x6400u);
            else if constexpr (by_halves)
                half_scale_[r] = scale_pair(from, r), half_zero_[r] = zero_pair(from, row, r);
            else if constexpr (by_bfloats)
                set_bfloats(from, row, r);
            else
                set_row(from, row, r);
        }
    }
    weight_numbers() = default;

    /// What sums of a column are multiplied by.
    FADE_FN float scale(int r) const { return scale_[r]; }

    /// A register of the shared tile: element (r, k), and the next along k where two share one. `from` has
    /// the words of a patch whose scales and zero points are those of the first.
    FADE_FN std::uint32_t word(const words& from, int r, int k) const {
        if constexpr (Unscaled && in_bfloats)
            return Block::template difference<bf16>(nibbles_behind(from, r, k, 0x43004300u), half_zero_[r]);
        else if constexpr (Unscaled && std::is_same_v<In, f16>)
            return Block::template difference<f16>(halves(from, r, k), half_zero_[r]);
        else if constexpr (Unscaled) {
            const vec<float, 2> x = values(from, r, k);
            return rounded(x[0], x[1]);
        } else if constexpr (by_halves)
            return Block::scale_halves(halves(from, r, k), half_zero_[r], half_scale_[r]);
        else if constexpr (by_bfloats)
            return Block::scale_bfloats(nibbles_behind(from, r, k, 0x43004300u), half_zero_[r],
                                        half_scale_[r], rest_[r]);
        else if constexpr (!pairs)
            return __builtin_bit_cast(std::uint32_t,
                                      convert<target>(from_f32<In>(scaled(value(from, r, k), r))));
        else {
            const vec<float, 2> x = values(from, r, k);
            return rounded(x[0] * scale_[r], x[1] * scale_[r]);
        }
    }

private:
    FADE_FN static float number_of(std::uint32_t scale) {
        if constexpr (Format.scale == weight_scale::binary16)
            return Block::widen_halves(scale)[0];
        else
            return scale_value<Format.scale>(scale);
    }
    FADE_FN void set_row(const words& from, int row, int r) {
        scale_[r] = quiet(scale_value<Format.scale>(scale_bits(from.scale, r)));
        if constexpr (by_differences)
            half_zero_[r] = zero_pair(from, row, r);
        else
            zero_[r] = quiet(zero(from, row, r));
    }
    /// A scale as the bf16 next to it and the rest, which is one exactly. Infinity has none.
    FADE_FN void set_bfloats(const words& from, int row, int r) {
        const auto pair = [](float x) {
            return __builtin_bit_cast(std::uint32_t, Block::template narrow<bf16>(x, x));
        };
        const float scale = Block::widen_halves(scale_bits(from.scale, r))[0];
        half_scale_[r] = pair(scale), half_zero_[r] = zero_pair(from, row, r, 0x4300u);
        const float rest = scale - __builtin_bit_cast(float, half_scale_[r] & 0xffff0000u);
        rest_[r] = is_nan(rest) ? 0 : pair(rest);
    }
    /// The NaN that all NaN are: its products are such that rounding keeps them.
    FADE_FN static float quiet(float x) { return is_nan(x) ? __builtin_bit_cast(float, 0x7fc00000u) : x; }

    FADE_FN float scaled(float x, int r) const { return (x - zero_[r]) * scale_[r]; }

    /// Two numbers of In, to nearest with ties to even. NaN has no bits that carry into its exponent.
    FADE_FN static std::uint32_t rounded(float a, float b) {
        if constexpr (exact)
            return __builtin_bit_cast(std::uint32_t, Block::template narrow<In>(a, b));
        else if constexpr (std::is_same_v<In, bf16> && requires { Block::template round_pair<In>(a, b); })
            return __builtin_bit_cast(std::uint32_t, Block::template round_pair<In>(a, b));
        else if constexpr (std::is_same_v<In, bf16>) {
            const auto upper = [](float x) {
                const auto bits = __builtin_bit_cast(std::uint32_t, x);
                return bits + 0x7fffu + (bits >> 16 & 1u);
            };
            return Block::template pick_bytes<0x7632>(upper(a), upper(b));
        } else
            return Block::round_halves(a, b);
    }

    template <class Words>
    FADE_FN static std::uint32_t scale_bits(const Words& from, int r) {
        constexpr int bits = Format.scale_bytes() * 8;
        const std::uint32_t word = from[r * bits / 32] >> r * bits % 32;
        return bits == 32 ? word : word & ((1u << bits % 32) - 1);
    }
    /// A whole zero point, as an element is stored.
    FADE_FN std::uint32_t zero_bits(const words& from, int row, int r) const {
        if constexpr (!Format.packs_zeros())
            return from.zero[0] & mask;
        else
            return (from.zero[0] >> (Patch::zero_shift(row) + bit_of<Format>(r))) & mask;
    }
    FADE_FN float zero(const words& from, int row, int r) const {
        if constexpr (Format.zero == weight_zero::none)
            return float(Format.bias);
        else if constexpr (Format.zero == weight_zero::as_scales)
            return scale_value<Format.scale>(scale_bits(from.zero, r));
        else
            return weight_value<element>(zero_bits(from, row, r)) +
                   (Format.zero == weight_zero::packed_less_one ? 1.0f : 0.0f);
    }

    FADE_FN static std::uint32_t doubled(std::uint32_t x) { return Block::template pick_bytes<0x1010>(x, x); }
    FADE_FN std::uint32_t scale_pair(const words& from, int r) const {
        const std::uint32_t bits = scale_bits(from.scale, r);
        if constexpr (Format.scale == weight_scale::e4m3)
            return doubled(Block::template widen<f8e4m3, true>(bits, bits, 0));
        else
            return doubled(bits);
    }
    /// Of whole numbers behind 1024, as halves() has them, or behind 128 of bf16.
    FADE_FN std::uint32_t zero_pair(const words& from, int row, int r, std::uint32_t behind = 0x6400u) const {
        if constexpr (!Format.whole())
            return 0;
        else if constexpr (Format.zero == weight_zero::none)
            return (behind + std::uint32_t(Format.bias + int(flip))) * 0x10001u;
        else
            return doubled(behind + (zero_bits(from, row, r) ^ flip) +
                           (Format.zero == weight_zero::packed_less_one ? 1u : 0u));
    }

    FADE_FN std::uint32_t word_of(const words& from, int r, int k) const {
        const auto at = Patch::place(r, k);
        return from.value[at.load][at.word] >> shift_;
    }
    FADE_FN float value(const words& from, int r, int k) const {
        return weight_value<element>((word_of(from, r, k) >> Patch::place(r, k).bit) & mask);
    }
    /// Two elements without their zero.
    FADE_FN vec<float, 2> values(const words& from, int r, int k) const {
        constexpr auto pair = [](int at) { return element_pair::of(at, Apart); };
        if constexpr (!by_differences)
            return {value(from, r, pair(k).first) - zero_[r], value(from, r, pair(k).second) - zero_[r]};
        else
            return Block::widen_halves(Block::scale_halves(halves(from, r, k), half_zero_[r], 0x3c003c00u));
    }

    /// Two elements of 4 bits in the low bits of the halves of a register, and others above them.
    FADE_FN std::uint32_t nibbles_below(const words& from, int r, int k) const {
        const int bit = Patch::place(r, element_pair::of(k, Apart).first).bit;
        const std::uint32_t a = word_of(from, r, k), b = word_of(from, r, k + 1);
        if constexpr (Apart)
            return a >> bit;
        else if constexpr (Patch::awq) {
            const std::uint32_t both = bit < 16 ? Block::template pick_bytes<0x5410>(a, b)
                                                : Block::template pick_bytes<0x7632>(a, b);
            return both >> bit % 16;
        } else {
            const std::uint32_t byte = a >> bit & 0xffu;
            return byte | byte << 12;
        }
    }
    FADE_FN std::uint32_t nibbles(const words& from, int r, int k) const {
        return nibbles_below(from, r, k) & 0x000f000fu;
    }
    /// Behind a power of two, whose last bits they are; those with a sign behind 8 more.
    FADE_FN std::uint32_t nibbles_behind(const words& from, int r, int k, std::uint32_t power) const {
        if constexpr (flip == 0 && requires { Block::and_or(0u, 0u, 0u); })
            return Block::and_or(nibbles_below(from, r, k), 0x000f000fu, power);
        else
            return (nibbles(from, r, k) ^ flip * 0x10001u) | power;
    }
    /// Two elements as f16, exact: floats as they are, whole numbers behind 1024, those with a sign behind 8
    /// or 128 more.
    FADE_FN std::uint32_t halves(const words& from, int r, int k) const {
        constexpr std::uint32_t flips = flip * 0x10001u;
        if constexpr (element == weight_element::e2m1) {
            const std::uint32_t x = nibbles(from, r, k);  // in the place of f16's, too small by 2^14
            return Block::scale_halves((x & 0x00080008u) << 12 | (x & 0x00070007u) << 9, 0, 0x74007400u);
        } else if constexpr (Format.bits() == 4)
            return nibbles_behind(from, r, k, 0x64006400u);
        else {
            const std::uint32_t word = word_of(from, r, k);
            const bool low = Patch::place(r, k).bit == 0;
            if constexpr (element == weight_element::e4m3)
                return Block::template widen<f8e4m3, true>(word, word, low ? 0 : 2);
            else if constexpr (element == weight_element::e5m2)
                return Block::template widen<f8e5m2, true>(word, word, low ? 0 : 2);
            else
                return (low ? Block::template pick_bytes<0x4140>(word, 0x64646464u)
                            : Block::template pick_bytes<0x4342>(word, 0x64646464u)) ^
                       flips;
        }
    }

    int shift_ = 0;  ///< of the words
    float scale_[Patch::rows]{}, zero_[Patch::rows]{};
    std::uint32_t half_scale_[Patch::rows]{}, half_zero_[Patch::rows]{}, rest_[Patch::rows]{};
};

}  // namespace FADE_NAMESPACE::block
