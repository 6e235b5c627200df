// Elements of f32, f16 or bf16 as signed integers of their own size in the order of their numbers, where
// there is no NaN: a vector of them by one instruction.
#pragma once
#include <cstdint>
#include <fade/atom/cpu/instructions.hpp>
#include <fade/atom/cpu/vector.hpp>
#include <limits>
#include <type_traits>

namespace FADE_NAMESPACE::atom {

/// One word of Count by halves, so that compilers make vectors, and no branches that a CPU would mistake.
template <int Count, class Word, class Op>
FADE_CPU Word fold_words(Word* words, Op op) {
    if constexpr (Count > 1) {
        for (int e = 0; e < Count / 2; ++e) words[e] = op(words[e], words[e + Count / 2]);
        return fold_words<Count / 2>(words, op);
    } else {
        return words[0];
    }
}
struct larger_of_words {
    template <class Word>
    FADE_CPU Word operator()(Word a, Word b) const {
        return a < b ? b : a;
    }
};
struct lower_of_words {
    template <class Word>
    FADE_CPU Word operator()(Word a, Word b) const {
        return a < b ? a : b;
    }
};

/// Minus zero is one below zero. Positive: bits as they are, of which only those above zero are in order.
template <class T, int Bytes, bool Positive = false>
struct ordered_elements {
    using word = std::conditional_t<sizeof(T) == 2, std::int16_t, std::int32_t>;
    using words = vector<word, Bytes>;
    static constexpr int count = Bytes / int(sizeof(T));
    static constexpr word max_word = std::numeric_limits<word>::max(),
                          min_word = std::numeric_limits<word>::min();
    static constexpr word infinity = std::is_same_v<T, float> ? word(0x7f800000)
                                     : std::is_same_v<T, f16> ? word(0x7c00)
                                                              : word(0x7f80);

    FADE_CPU static void load(words& to, const T* from) {
        const words bits = *reinterpret_cast<const words*>(from);
        to = Positive ? bits : bits ^ ((bits >> word(sizeof(T) * 8 - 1)) & max_word);
    }
    /// What note() begins with.
    static constexpr word nothing = Positive ? word(0) : max_word;
    /// Is there a NaN among elements whose largest word is `largest`, by what note() kept of them?
    FADE_CPU static bool has_nan(word largest, const words& noted) {
        if constexpr (Positive) {
            using bits = std::make_unsigned_t<word>;
            alignas(Bytes) bits each[count];
            __builtin_memcpy(each, &noted, sizeof each);
            return largest > infinity ||
                   fold_words<count>(each, larger_of_words{}) > bits(min_word | infinity);
        } else {
            alignas(Bytes) word each[count];
            __builtin_memcpy(each, &noted, sizeof each);
            return largest > infinity || fold_words<count>(each, lower_of_words{}) < word(~infinity);
        }
    }
    /// The lowest word of numbers that equal the one of `x`.
    FADE_CPU static word lowest_equal(word x) { return x == 0 ? word(-1) : x; }

    FADE_CPU static void raise([[maybe_unused]] words& to, [[maybe_unused]] const words& x) {
#if FADE_VECTOR_INSTRUCTIONS
        if constexpr (sizeof(T) == 2)
            __asm__("vpmaxsw {%1, %0, %0|%0, %0, %1}" : "+v"(to) : "v"(x));
        else
            __asm__("vpmaxsd {%1, %0, %0|%0, %0, %1}" : "+v"(to) : "v"(x));
#endif
    }
    /// Keeps of x what shows a NaN of the sign bit.
    FADE_CPU static void note([[maybe_unused]] words& to, [[maybe_unused]] const words& x) {
#if FADE_VECTOR_INSTRUCTIONS
        if constexpr (Positive && sizeof(T) == 2)
            __asm__("vpmaxuw {%1, %0, %0|%0, %0, %1}" : "+v"(to) : "v"(x));
        else if constexpr (Positive)
            __asm__("vpmaxud {%1, %0, %0|%0, %0, %1}" : "+v"(to) : "v"(x));
        else if constexpr (sizeof(T) == 2)
            __asm__("vpminsw {%1, %0, %0|%0, %0, %1}" : "+v"(to) : "v"(x));
        else
            __asm__("vpminsd {%1, %0, %0|%0, %0, %1}" : "+v"(to) : "v"(x));
#endif
    }
    /// Bits of a lane in what above() gives.
    static constexpr int lane_bits = Bytes == 32 && sizeof(T) == 2 ? 2 : 1;
    /// Which lanes are larger than those of `than`.
    FADE_CPU static std::uint32_t above([[maybe_unused]] const words& x, [[maybe_unused]] const words& than) {
        std::uint32_t lanes = 0;
#if FADE_VECTOR_INSTRUCTIONS
        if constexpr (Bytes == 64 && sizeof(T) == 2) {
            __asm__("vpcmpgtw {%2, %1, %%k1|k1, %1, %2}\n\tkmovd {%%k1, %0|%0, k1}"
                    : "=r"(lanes)
                    : "v"(x), "v"(than)
                    : "k1");
        } else if constexpr (Bytes == 64) {
            __asm__("vpcmpgtd {%2, %1, %%k1|k1, %1, %2}\n\tkmovw {%%k1, %0|%0, k1}"
                    : "=r"(lanes)
                    : "v"(x), "v"(than)
                    : "k1");
        } else {
            words found = x;
            if constexpr (sizeof(T) == 2)
                __asm__("vpcmpgtw {%2, %1, %1|%1, %1, %2}\n\tvpmovmskb {%1, %0|%0, %1}"
                        : "=r"(lanes), "+x"(found)
                        : "x"(than));
            else
                __asm__("vpcmpgtd {%2, %1, %1|%1, %1, %2}\n\tvmovmskps {%1, %0|%0, %1}"
                        : "=r"(lanes), "+x"(found)
                        : "x"(than));
        }
#endif
        return lanes;
    }
};

/// Elements that ordered_elements has instructions for.
template <class T, int Bytes>
inline constexpr bool has_ordered_elements =
    takes_instructions<Bytes> && (std::is_same_v<T, float> || is_16_bit_float<T>);

}  // namespace FADE_NAMESPACE::atom
