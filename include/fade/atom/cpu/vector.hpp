// Vectors of the CPU as the compiler's own types, and how they are loaded from and stored to memory of any
// element type.
#pragma once
#include <cstdint>
#include <fade/atom/cpu/instructions.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/wrap.hpp>
#include <type_traits>

#define FADE_CPU inline __attribute__((always_inline))

namespace FADE_NAMESPACE::atom {

/// Loads and stores through this type need the alignment of T only, and may touch memory of another type.
template <class T, int Bytes>
struct vector_of {
#if defined(__CUDACC_RTC__)  // which has no CPU, and no vectors of one
    struct type {
        T lanes[Bytes / sizeof(T)];
        type() = default;
        template <class Other>
        explicit type(const Other&) {}
    };
#else
    typedef T type __attribute__((vector_size(Bytes), aligned(sizeof(T)), may_alias));
#endif
};
template <class T, int Bytes>
using vector = typename vector_of<T, Bytes>::type;

/// 16-bit words as 32-bit ones, and back. GCC 12 takes five instructions for one where it converts vectors.
template <class Word, int Bytes>
FADE_CPU void widen_words(vector<Word, Bytes>& to, const void* from) {
    using half = std::conditional_t<std::is_signed_v<Word>, std::int16_t, std::uint16_t>;
    const auto& there = *static_cast<const vector<half, Bytes / 2>*>(from);
#if defined(__x86_64__) && !defined(__clang__) && !defined(__CUDACC__)
    if constexpr (Bytes >= 32 && std::is_signed_v<Word>)
        __asm__("vpmovsxwd %1, %0" : "=v"(to) : "m"(there));
    else if constexpr (Bytes >= 32)
        __asm__("vpmovzxwd %1, %0" : "=v"(to) : "m"(there));
    else
#endif
        to = __builtin_convertvector(there, vector<Word, Bytes>);
}
template <int Bytes>
FADE_CPU void narrow_words(void* to, const vector<std::int32_t, Bytes>& from) {
    using half = vector<std::int16_t, Bytes / 2>;
    half narrowed;
#if defined(__x86_64__) && !defined(__clang__) && !defined(__CUDACC__)
    if constexpr (Bytes == 64)
        __asm__("vpmovdw %1, %0" : "=v"(narrowed) : "v"(from));
    else
#endif
        narrowed = __builtin_convertvector(from, half);
    *static_cast<half*>(to) = narrowed;
}

/// f16 to f32 as in to_f32(), a vector at once; comparisons are signed because SSE2 and AVX2 have no others.
template <int Bytes>
FADE_CPU void widen(vector<float, Bytes>& to, const f16* from) {
#if FADE_VECTOR_INSTRUCTIONS
    if constexpr (Bytes >= 32) {
        __asm__("vcvtph2ps {%1, %0|%0, %1}"
                : "=v"(to)
                : "m"(*reinterpret_cast<const vector<std::int16_t, Bytes / 2>*>(from)));
        return;
    }
#endif
    using word = vector<std::int32_t, Bytes>;
    word x;
    widen_words<std::int32_t, Bytes>(x, from);
    const word magnitude = (x & 0x7fff) << 13, subnormal = (word)(magnitude < 0x00800000);
    const word small = (word)((vector<float, Bytes>)(magnitude + 0x38800000) -
                              __builtin_bit_cast(float, 0x38800000)),
               normal = (magnitude + 0x38000000) | ((word)(magnitude >= 0x0f800000) & 0x7f800000) |
                        ((word)(magnitude > 0x0f800000) & 0x00400000);
    to = (vector<float, Bytes>)((subnormal & small) | (~subnormal & normal) | (x & int(0x80000000u)));
}
template <int Bytes>
FADE_CPU void widen(vector<float, Bytes>& to, const bf16* from) {
    vector<std::uint32_t, Bytes> x;
    widen_words<std::uint32_t, Bytes>(x, from);
    to = (vector<float, Bytes>)(x << 16);
}

/// f32 to f16 as in to_f16().
template <int Bytes>
FADE_CPU void narrow(f16* to, const vector<float, Bytes>& from) {
#if FADE_VECTOR_INSTRUCTIONS
    if constexpr (Bytes >= 32) {
        __asm__("vcvtps2ph {$0, %1, %0|%0, %1, 0}"
                : "=m"(*reinterpret_cast<vector<std::int16_t, Bytes / 2>*>(to))
                : "v"(from));
        return;
    }
#endif
    using word = vector<std::int32_t, Bytes>;
    const word all = (word)from, x = all & 0x7fffffff;
    const word small = (word)((vector<float, Bytes>)x + 0.5f) - 0x3f000000;
    const word normal = (x + int(0xc8000fffu) + ((x >> 13) & 1)) >> 13;
    const word tiny = (word)(x < 0x38800000), big = (word)(x >= 0x47800000),
               special = ((word)(x > 0x7f800000) & (((x >> 13) & 0x3ff) | 0x200)) | 0x7c00;
    const word finite = (tiny & small) | (~tiny & normal & 0x7fff);
    const word result = ((all >> 16) & 0x8000) | (big & special) | (~big & finite);
    narrow_words<Bytes>(to, result);
}
/// f32 to bf16 as in to_bf16().
template <int Bytes>
FADE_CPU void narrow(bf16* to, const vector<float, Bytes>& from) {
    using word = vector<std::int32_t, Bytes>;
    const word x = (word)from,
               rounded = (word)((vector<std::uint32_t, Bytes>)(x + 0x7fff + ((x >> 16) & 1)) >> 16);
    const word nan = (word)((x & 0x7fffffff) > 0x7f800000), quiet = (x >> 16) | 0x40;
    narrow_words<Bytes>(to, (nan & quiet) | (~nan & rounded));
}

/// Bytes as 32-bit words, and the lowest bytes of those.
template <class Byte, int Bytes>
FADE_CPU void widen_bytes(vector<std::int32_t, Bytes>& to, const void* from) {
    const auto& there = *static_cast<const vector<Byte, Bytes / 4>*>(from);
#if FADE_VECTOR_INSTRUCTIONS
    if constexpr (Bytes >= 32 && std::is_signed_v<Byte>)
        __asm__("vpmovsxbd {%1, %0|%0, %1}" : "=v"(to) : "m"(there));
    else if constexpr (Bytes >= 32)
        __asm__("vpmovzxbd {%1, %0|%0, %1}" : "=v"(to) : "m"(there));
    else
#endif
        to = __builtin_convertvector(there, vector<std::int32_t, Bytes>);
}
template <int Bytes>
FADE_CPU void narrow_to_bytes(void* to, const vector<std::int32_t, Bytes>& from) {
    using bytes = vector<std::int8_t, Bytes / 4>;
    bytes narrowed;
#if FADE_VECTOR_INSTRUCTIONS
    if constexpr (Bytes == 64)
        __asm__("vpmovdb {%1, %0|%0, %1}" : "=v"(narrowed) : "v"(from));
    else
#endif
        narrowed = __builtin_convertvector(from, bytes);
    *static_cast<bytes*>(to) = narrowed;
}

/// All bits of lanes that exceed `limit`; both are at least 0. GCC 12 turns comparisons whose results are
/// used twice into numbers one by one.
template <int Bytes>
FADE_CPU void exceeding(vector<std::int32_t, Bytes>& to, const vector<std::int32_t, Bytes>& x,
                        std::int32_t limit) {
    to = (limit - x) >> 31;
}

template <int Bytes>
FADE_CPU void widen(vector<float, Bytes>& to, const i8* from) {
    vector<std::int32_t, Bytes> x;
    widen_bytes<std::int8_t, Bytes>(x, from);
    to = __builtin_convertvector(x, vector<float, Bytes>);
}
/// f32 to i8 as in nearest_whole().
template <int Bytes>
FADE_CPU void narrow(i8* to, const vector<float, Bytes>& from) {
    using word = vector<std::int32_t, Bytes>;
    using floats = vector<float, Bytes>;
    const floats low = floats{} - 128, high = floats{} + 127, magic = floats{} + 0x1.8p23f;
    const floats raised = from < low ? low : from, within = raised > high ? high : raised;
    // The sum's last bit is worth one, so the addition rounds.
    const word whole = (word)(within + magic) - (word)magic;
    word nan;
    exceeding<Bytes>(nan, (word)from & 0x7fffffff, 0x7f800000);
    narrow_to_bytes<Bytes>(to, whole & ~nan);
}

/// 8-bit floats to f32 as in to_f32().
template <int Bytes, int E, int M, int B, bool F>
FADE_CPU void widen(vector<float, Bytes>& to, const float8<E, M, B, F>* from) {
    using word = vector<std::int32_t, Bytes>;
    using type = float8<E, M, B, F>;
    word x;
    widen_bytes<std::uint8_t, Bytes>(x, from);
    const word magnitude = x & 0x7f, tiny = (word)(magnitude < (1 << M));
    const word small = (word)(__builtin_convertvector(magnitude, vector<float, Bytes>) *
                              __builtin_bit_cast(float, (128 - B - M) << 23)),
               normal = (magnitude << (23 - M)) + ((127 - B) << 23);
    const word finite = (tiny & small) | (~tiny & normal) | ((x & 0x80) << 24);
    const word nan = F ? (word)(x == 0x80) : (word)(magnitude > (type::has_infinity ? 0x7c : 0x7e));
    const word endless = type::has_infinity ? (word)(magnitude == 0x7c) & 0x7f800000 : word{};
    to = (vector<float, Bytes>)((~nan & (finite | endless)) | (nan & 0x7fc00000));
}
/// f32 to 8-bit floats as in to_float8().
template <int Bytes, int E, int M, int B, bool F>
FADE_CPU void narrow(float8<E, M, B, F>* to, const vector<float, Bytes>& from) {
    using word = vector<std::int32_t, Bytes>;
    using type = float8<E, M, B, F>;
    constexpr int shift = 23 - M, smallest_normal = (128 - B) << 23, magic = (128 - B + shift) << 23;
    const word all = (word)from, x = all & 0x7fffffff, sign = (all >> 24) & 0x80;
    const word small = (word)((vector<float, Bytes>)x + __builtin_bit_cast(float, magic)) - magic;
    const word normal = (x - ((127 - B) << 23) + ((1 << (shift - 1)) - 1) + ((x >> shift) & 1)) >> shift;
    word large, over, nan, any;
    exceeding<Bytes>(large, x, smallest_normal - 1), exceeding<Bytes>(nan, x, 0x7f800000);
    const word bits = (~large & small) | (large & normal);
    exceeding<Bytes>(over, bits, int(type::largest)), exceeding<Bytes>(any, bits, 0);
    const word sign_of_finite = F ? sign & any : sign, sign_of_rest = F ? word{} : sign;
    const word finite = (~over & (bits | sign_of_finite)) |
                        (over & (sign_of_rest | (type::has_infinity ? 0x7c : int(type::nan))));
    narrow_to_bytes<Bytes>(to, (~nan & finite) | (nan & (sign_of_rest | int(type::nan))));
}

template <class T>
inline constexpr bool is_16_bit_float = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// Is T widened to f32, and narrowed from it, a vector at once?
template <class T>
inline constexpr bool is_narrow_number = is_16_bit_float<T> || is_float8<T> || std::is_same_v<T, i8>;

/// Is T widened and narrowed by many instructions?
template <class T, int Bytes>
inline constexpr bool is_long_text = is_float8<T> || (is_16_bit_float<T> && !takes_instructions<Bytes> &&
                                                      (std::is_same_v<T, f16> || has_few_registers));

/// Vectors of Bytes bytes of T, loaded from and stored to memory of any element type.
template <class T, int Bytes>
struct lanes_of {
    using vector = atom::vector<wrapping<T>, Bytes>;
    static constexpr int count = Bytes / int(sizeof(T));

    template <class From>
    FADE_CPU static void load(vector& to, const From* from) {
        if constexpr (std::is_same_v<T, From>)
            to = *reinterpret_cast<const vector*>(from);
        else if constexpr (std::is_same_v<T, float> && is_narrow_number<From>)
            widen<Bytes>(to, from);
        else {
            T each[count];
            for (int i = 0; i < count; ++i) each[i] = convert<T>(from[i]);
            to = *reinterpret_cast<const vector*>(each);
        }
    }
    template <class To>
    FADE_CPU static void store(To* to, const vector& from) {
        if constexpr (std::is_same_v<T, To>)
            *reinterpret_cast<vector*>(to) = from;
        else if constexpr (std::is_same_v<T, float> && is_narrow_number<To>)
            narrow<Bytes>(to, from);
        else
            for (int i = 0; i < count; ++i) to[i] = convert<To>(T(from[i]));
    }
};

}  // namespace FADE_NAMESPACE::atom
