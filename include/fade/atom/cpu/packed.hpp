// Packs of k: as many elements as a word of 32 bits holds, in the order in which dot-product instructions
// read them.
#pragma once
#include <cstring>
#include <fade/atom/cpu/vector.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// Elements of consecutive k, the first in the lowest bits. Flip: bits that are inverted in each word, as
/// 0x80808080 makes of an i8 the unsigned number that is greater by 128.
/// It may be read from memory of T.
template <class T, std::uint32_t Flip = 0>
struct __attribute__((may_alias)) packed {
    static constexpr int k = 4 / int(sizeof(T));
    static constexpr std::uint32_t flip = Flip;
    std::uint32_t word;
};

/// The bits of an 8-bit or 16-bit element.
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;

/// How many elements of k one element of a packed matrix holds.
template <class T>
inline constexpr int pack_of = 1;
template <class T, std::uint32_t Flip>
inline constexpr int pack_of<packed<T, Flip>> = packed<T, Flip>::k;

/// Are neighbouring In of a line of k, the first at an address of whole words, packs as they are?
template <class To, class In>
inline constexpr bool lies_packed = false;
template <class T>
inline constexpr bool lies_packed<packed<T, 0>, T> = true;

template <class T, std::uint32_t Flip, int Bytes>
struct lanes_of<packed<T, Flip>, Bytes> {
    using vector = atom::vector<std::uint32_t, Bytes>;
    static constexpr int count = Bytes / 4;

    FADE_CPU static void load(vector& to, const T* from) {
        to = (vector) * reinterpret_cast<const atom::vector<bits_of<T>, Bytes>*>(from) ^ Flip;
    }
    FADE_CPU static void store(packed<T, Flip>* to, const vector& from) {
        *reinterpret_cast<vector*>(to) = from;
    }
};

/// One element of a packed matrix from memory in which `left` elements of k follow each other; what is
/// missing in a pack is zero.
template <class To, class From>
FADE_CPU To taken(const From* from, int left) {
    if constexpr (pack_of<To> == 1)
        return convert<To>(*from);
    else {
        std::uint32_t word = 0;
        if (left >= To::k)
            std::memcpy(&word, from, sizeof word);
        else
            for (int i = 0; i < left; ++i)
                std::memcpy(reinterpret_cast<From*>(&word) + i, from + i, sizeof(From));
        return {word ^ To::flip};
    }
}

/// low and high halves of a0 b0 a1 b1 ...
FADE_CPU void interleave(vector<std::uint8_t, 16>& low, vector<std::uint8_t, 16>& high,
                         const vector<std::uint8_t, 16>& a, const vector<std::uint8_t, 16>& b) {
    low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
FADE_CPU void interleave(vector<std::uint16_t, 16>& low, vector<std::uint16_t, 16>& high,
                         const vector<std::uint16_t, 16>& a, const vector<std::uint16_t, 16>& b) {
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// The packs of as many columns as 16 bytes of a line hold, from lines of pairs of them: pairs become words.
FADE_CPU void weave_pairs(vector<std::uint32_t, 16>* words, const vector<std::uint16_t, 16>& even,
                          const vector<std::uint16_t, 16>& odd) {
    vector<std::uint16_t, 16> low, high;
    interleave(low, high, even, odd);
    words[0] = (vector<std::uint32_t, 16>)low, words[1] = (vector<std::uint32_t, 16>)high;
}
FADE_CPU void weave(vector<std::uint32_t, 16>* words, const vector<std::uint16_t, 16>* lines) {
    weave_pairs(words, lines[0], lines[1]);
}
FADE_CPU void weave(vector<std::uint32_t, 16>* words, const vector<std::uint8_t, 16>* lines) {
    using pairs = vector<std::uint16_t, 16>;
    vector<std::uint8_t, 16> even[2], odd[2];
    interleave(even[0], even[1], lines[0], lines[1]), interleave(odd[0], odd[1], lines[2], lines[3]);
    weave_pairs(words, (pairs)even[0], (pairs)odd[0]), weave_pairs(words + 2, (pairs)even[1], (pairs)odd[1]);
}

/// The packs of 32 columns, from lines of 16-bit elements or of bytes.
FADE_CPU void weave_panel(vector<std::uint32_t, 64>* words, const vector<std::uint16_t, 64>* lines) {
    words[0] = (vector<std::uint32_t, 64>)__builtin_shufflevector(
        lines[0], lines[1], 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10, 42, 11,
        43, 12, 44, 13, 45, 14, 46, 15, 47);
    words[1] = (vector<std::uint32_t, 64>)__builtin_shufflevector(
        lines[0], lines[1], 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24, 56, 25, 57,
        26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
}
FADE_CPU void weave_panel(vector<std::uint32_t, 64>* words, const vector<std::uint8_t, 32>* lines) {
    using bytes = vector<std::uint8_t, 32>;
    using pairs = vector<std::uint16_t, 32>;
    pairs low[2], high[2];  // columns 0 to 7 and 16 to 23; 8 to 15 and 24 to 31
    FADE_CPU_UNROLL(2)
    for (int i = 0; i < 2; ++i) {
        const bytes a = lines[2 * i], b = lines[2 * i + 1];
        low[i] =
            (pairs)__builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16,
                                           48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55);
        high[i] =
            (pairs)__builtin_shufflevector(a, b, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47,
                                           24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
    }
    using wide = vector<std::uint16_t, 64>;
    const wide even = (wide)__builtin_shufflevector(low[0], high[0], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19,
                                                    20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26,
                                                    27, 28, 29, 30, 31),
               odd = (wide)__builtin_shufflevector(low[1], high[1], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19,
                                                   20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26,
                                                   27, 28, 29, 30, 31);
    const wide both[2] = {even, odd};
    weave_panel(words, both);
}

/// to[c] = the elements from[c], from[c + pitch], ... of `lines` lines, packed.
template <int Bytes, class To, class From>
FADE_CPU void weave_line(To* to, const From* from, index pitch, int columns, int lines) {
    using line = vector<bits_of<From>, 16>;
    using words = vector<std::uint32_t, 16>;
    constexpr int lanes = 16 / int(sizeof(From));
    int c = 0;
    if constexpr (Bytes == 64) {
        constexpr int panel = 32;
        using wide_line = vector<bits_of<From>, panel* int(sizeof(From))>;
        for (; c + panel <= columns; c += panel) {
            wide_line part[To::k] = {};
            vector<std::uint32_t, 64> halves[2];
            FADE_CPU_UNROLL(4)
            for (int i = 0; i < lines; ++i)
                part[i] = *reinterpret_cast<const wide_line*>(from + i * pitch + c);
            weave_panel(halves, part);
            FADE_CPU_UNROLL(2)
            for (int i = 0; i < 2; ++i)
                *reinterpret_cast<vector<std::uint32_t, 64>*>(to + c + 16 * i) = halves[i] ^ To::flip;
        }
    }
    for (; c + lanes <= columns; c += lanes) {
        line part[To::k] = {};
        words all[To::k];
        FADE_CPU_UNROLL(4)
        for (int i = 0; i < lines; ++i) part[i] = *reinterpret_cast<const line*>(from + i * pitch + c);
        weave(all, part);
        FADE_CPU_UNROLL(4)
        for (int i = 0; i < To::k; ++i) *reinterpret_cast<words*>(to + c + 4 * i) = all[i] ^ To::flip;
    }
    for (; c < columns; ++c) {
        From column[To::k] = {};
        for (int i = 0; i < lines; ++i) column[i] = from[i * pitch + c];
        to[c] = taken<To>(column, To::k);
    }
}

/// Packs a matrix whose lines each hold one k: line w of `to` is made of lines w * k, w * k + 1, ... of
/// `from`; lines that do not exist are zero.
struct weave_rows {
    template <int Bytes, class To, class From>
    FADE_CPU static void apply(To* to, index to_pitch, const From* from, index from_pitch, int depth,
                               int columns) {
        int k = 0;
        for (; k + To::k <= depth; k += To::k, to += to_pitch)
            weave_line<Bytes>(to, from + k * from_pitch, from_pitch, columns, To::k);
        if (k < depth) weave_line<Bytes>(to, from + k * from_pitch, from_pitch, columns, depth - k);
    }
};

}  // namespace FADE_NAMESPACE::atom
