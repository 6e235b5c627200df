// Two vectors of numbers at once: bf16 is widened and rounded by few instructions where neighbours come
// apart, and one test says whether any of them is a NaN.
#pragma once
#include <fade/atom/cpu/instructions.hpp>
#include <fade/atom/cpu/isa.hpp>
#include <fade/atom/cpu/stream.hpp>
#include <fade/atom/cpu/vector.hpp>

namespace FADE_NAMESPACE::atom {

/// Is any lane of them a NaN? (-ffast-math has compilers think that none is.)
template <int Bytes>
FADE_CPU bool any_nan([[maybe_unused]] const vector<float, Bytes>& a,
                      [[maybe_unused]] const vector<float, Bytes>& b) {
    bool any = true;
#if FADE_VECTOR_INSTRUCTIONS
    if constexpr (Bytes == 64) {
        __asm__("vcmpunordps {%2, %1, %%k1|k1, %1, %2}\n\tkortestw {%%k1, %%k1|k1, k1}"
                : "=@ccnz"(any)
                : "v"(a), "v"(b)
                : "k1");
    } else if constexpr (Bytes == 32) {
        vector<float, 32> lanes;
        __asm__("vcmpunordps {%3, %2, %1|%1, %2, %3}\n\tvtestps {%1, %1|%1, %1}"
                : "=@ccnz"(any), "=&x"(lanes)
                : "x"(a), "x"(b));
    }
#endif
    return any;
}

/// Has this CPU an instruction that rounds f32 to bf16? Of what is no normal number of f32 it makes zero.
template <class To, int Bytes>
FADE_CPU bool rounds_by_instruction() {
    if constexpr (std::is_same_v<To, bf16> && Bytes == 64 && takes_instructions<Bytes>)
        return used_isa >= cpu_isa::avx512_bf16;
    else
        return false;
}

/// Where the elements of two vectors lie: one vector behind the other; or neighbours apart, those of even
/// places in the first.
enum class pair_order { consecutive, neighbours_apart };

/// Two vectors of f32.
template <int Bytes, pair_order Order>
struct number_pair {
    using lanes = lanes_of<float, Bytes>;
    using words = vector<std::uint32_t, Bytes>;
    typename lanes::vector first, second;

    template <class From>
    FADE_CPU void load(const From* from) {
        if constexpr (Order == pair_order::consecutive) {
            lanes::load(first, from), lanes::load(second, from + lanes::count);
        } else {
            static_assert(std::is_same_v<From, bf16>);
            const words both = *reinterpret_cast<const words*>(from);
            first = (typename lanes::vector)(both << 16);
            second = (typename lanes::vector)(both & 0xffff0000u);
        }
    }
    /// ByInstruction: where rounds_by_instruction() holds, and results may be zero that are no normal
    /// numbers. Streamed: past the caches; `to` is then a multiple of Bytes bytes.
    template <bool ByInstruction = false, class To>
    FADE_CPU void store(To* to, bool streamed = false) const {
        if constexpr (std::is_same_v<To, bf16> || (std::is_same_v<To, f16> && takes_instructions<Bytes>)) {
            words packed;
            pack<ByInstruction>(packed, static_cast<const To*>(nullptr));
            if (streamed)
                stream<Bytes>(to, (const typename lanes::vector&)packed);
            else
                *reinterpret_cast<words*>(to) = packed;
        } else {
            static_assert(Order == pair_order::consecutive);
            store_each(to, streamed);
        }
    }

private:
    /// Bits of f32 whose upper halves are the numbers of bf16 next to them; not of a NaN.
    FADE_CPU static void round(words& to, const typename lanes::vector& from) {
        const words x = (words)from;
        to = x + 0x7fff + ((x >> 16) & 1);
    }
    FADE_CPU void store_each(float* to, bool streamed) const {
        if (streamed)
            stream<Bytes>(to, first), stream<Bytes>(to + lanes::count, second);
        else
            lanes::store(to, first), lanes::store(to + lanes::count, second);
    }
    template <class To>
        requires(sizeof(To) == 1)
    FADE_CPU void store_each(To* to, bool) const {
        lanes::store(to, first), lanes::store(to + lanes::count, second);
    }
    FADE_CPU void store_each(f16* to, bool streamed) const {
        f16 each[2 * lanes::count];
        f16* const there = streamed ? each : to;
        lanes::store(there, first), lanes::store(there + lanes::count, second);
        if (streamed) stream<Bytes>(to, *reinterpret_cast<const typename lanes::vector*>(each));
    }
    FADE_CPU void pack_each(words& to) const {
        bf16 each[2 * lanes::count];
        lanes::store(each, first), lanes::store(each + lanes::count, second);
        if constexpr (Order == pair_order::consecutive) {
            to = *reinterpret_cast<const words*>(each);
        } else {
            bf16 apart[2 * lanes::count];
            for (int i = 0; i < lanes::count; ++i)
                apart[2 * i] = each[i], apart[2 * i + 1] = each[lanes::count + i];
            to = *reinterpret_cast<const words*>(apart);
        }
    }
    /// Through no memory: a load of both halves would wait until each was stored.
    template <bool>
    FADE_CPU void pack([[maybe_unused]] words& to, const f16*) const {
        static_assert(Order == pair_order::consecutive);
#if FADE_VECTOR_INSTRUCTIONS
        words upper;
        if constexpr (Bytes == 64)
            __asm__("vcvtps2ph {$0, %2, %t0|%t0, %2, 0}\n\t"
                    "vcvtps2ph {$0, %3, %t1|%t1, %3, 0}\n\t"
                    "vinserti64x4 {$1, %t1, %0, %0|%0, %0, %t1, 1}"
                    : "=&v"(to), "=&v"(upper)
                    : "v"(first), "v"(second));
        else
            __asm__("vcvtps2ph {$0, %2, %x0|%x0, %2, 0}\n\t"
                    "vcvtps2ph {$0, %3, %x1|%x1, %3, 0}\n\t"
                    "vinserti128 {$1, %x1, %0, %0|%0, %0, %x1, 1}"
                    : "=&x"(to), "=&x"(upper)
                    : "x"(first), "x"(second));
#endif
    }
    template <bool ByInstruction>
    FADE_CPU void pack(words& to, const bf16*) const {
        if constexpr (ByInstruction && takes_instructions<Bytes> && Bytes == 64) {
            static_assert(Order == pair_order::consecutive);
            round_by_instruction(to);
        } else {
            pack_rounded(to);
        }
    }
    FADE_CPU void round_by_instruction([[maybe_unused]] words& to) const {
#if FADE_VECTOR_INSTRUCTIONS
        __asm__("vcvtne2ps2bf16 {%1, %2, %0|%0, %2, %1}" : "=v"(to) : "v"(first), "v"(second));
#endif
    }
    FADE_CPU void pack_rounded(words& to) const {
        words a, b;
        if constexpr (takes_instructions<Bytes>) {
            if (any_nan<Bytes>(first, second)) [[unlikely]]
                return pack_each(to);
        } else if constexpr (Order == pair_order::consecutive) {
            return pack_each(to);
        }
        round(a, first), round(b, second);
        if constexpr (Order == pair_order::neighbours_apart) {
            if constexpr (!takes_instructions<Bytes>) keep_nan(a, first), keep_nan(b, second);
            to = (a >> 16) | (b & 0xffff0000u);
        } else {
            join_upper_halves(to, a, b);
        }
    }
    FADE_CPU static void keep_nan(words& rounded, const typename lanes::vector& from) {
        using signed_words = vector<std::int32_t, Bytes>;
        const signed_words x = (signed_words)from, nan = (signed_words)((x & 0x7fffffff) > 0x7f800000);
        rounded = (words)((nan & (x | 0x400000)) | (~nan & (signed_words)rounded));
    }
    FADE_CPU static void join_upper_halves([[maybe_unused]] words& to, [[maybe_unused]] const words& a,
                                           [[maybe_unused]] const words& b) {
#if FADE_VECTOR_INSTRUCTIONS
        if constexpr (Bytes == 64) {
            static constexpr struct {
                alignas(64) std::uint16_t of[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                                    23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                                    45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
            } odd;
            to = a;
            __asm__("vpermt2w {%2, %1, %0|%0, %1, %2}"
                    : "+v"(to)
                    : "v"(*reinterpret_cast<const words*>(odd.of)), "v"(b));
        } else {
            // Within 16 bytes, then those in order.
            const words high = b >> 16, low = a >> 16;
            words packed;
            __asm__("vpackusdw {%2, %1, %0|%0, %1, %2}" : "=x"(packed) : "x"(low), "x"(high));
            __asm__("vpermq {$0xd8, %1, %0|%0, %1, 0xd8}" : "=x"(to) : "x"(packed));
        }
#endif
    }
};

}  // namespace FADE_NAMESPACE::atom
