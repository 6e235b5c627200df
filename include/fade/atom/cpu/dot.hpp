// The innermost loops of the host over packs of k: AVX-512's dot products of bf16 pairs (AVX512_BF16) and of
// quads of i8 (AVX512_VNNI).
#pragma once
#include <fade/atom/cpu/micro.hpp>
#include <fade/atom/cpu/packed.hpp>

namespace FADE_NAMESPACE::atom {

/// The matrices that a micro-kernel multiplies as they are.
template <class T>
struct whole_elements {
    using left = T;
    using right = T;
    static constexpr left zero{};
    static constexpr bool lifted = false;
};

/// Packs of A and B of an input type, and whether this CPU multiplies them. `lifted`: A is greater than it
/// should be, even where it is `zero`; what a row of these zeros makes of B must be subtracted again.
template <class In>
struct packs_for;

/// VNNI multiplies unsigned by signed bytes, so A becomes unsigned: A B = (A + 128) B - 128 (sum of B over
/// k), exact modulo 2^32.
template <>
struct packs_for<i8> {
    using left = packed<i8, 0x80808080u>;
    using right = packed<i8>;
    static constexpr left zero{left::flip};
    static constexpr bool lifted = true;
    static bool present() { return used_isa >= cpu_isa::avx512_vnni; }
};
template <>
struct packs_for<bf16> {
    using left = packed<bf16>;
    using right = packed<bf16>;
    static constexpr left zero{};
    static constexpr bool lifted = false;
    static bool present() { return used_isa >= cpu_isa::avx512_bf16; }
};

/// A product of packs, and a row that is subtracted from each row of it; null: nothing is.
template <class T, class Packs>
struct packed_product {
    micro_product<T, typename Packs::left, typename Packs::right> of;
    const T* less;
};

#if defined(__x86_64__)
inline constexpr bool may_have_packs = true;

// Both sets at once: a compiler makes their instructions only where it is told to, below.
#define FADE_DOT __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512bf16,avx2,fma")))

/// sum += a b, pack by pack. The header of the intrinsics would cost nearly as much time to compile as all
/// headers of a product.
FADE_CPU FADE_DOT void add_dots(vector<float, 64>& sum, const vector<std::uint32_t, 64>& a,
                                const vector<std::uint32_t, 64>& b) {
    __asm__("vdpbf16ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(a), "v"(b));
}
FADE_CPU FADE_DOT void add_dots(vector<std::uint32_t, 64>& sum, const vector<std::uint32_t, 64>& a,
                                const vector<std::uint32_t, 64>& b) {
    __asm__("vpdpbusd {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(a), "v"(b));
}

/// to = from + a b - less for Rows x 2 vectors, otherwise as micro_part.
template <int Rows, class T, class Packs>
FADE_DOT void dot_part(const packed_product<T, Packs>& product) {
    using words = vector<std::uint32_t, 64>;
    constexpr int pointers = ceil_div(Rows, 3), lanes = 16;
    const auto& p = product.of;
    micro_sums<T, 64, Rows> sum;
    const typename Packs::left* a[pointers];
    const typename Packs::right* b = p.b;
    const index a_row = p.a_row, a_k = p.a_k, b_k = p.b_k;
    FADE_CPU_UNROLL(4)
    for (int i = 0; i < pointers; ++i) a[i] = p.a + 3 * i * a_row;
    sum.load(p, 0, 0);
    if (product.less) sum.subtract(product.less);
    for (int k = 0; k < p.depth; ++k, b += b_k) {
        const words low = *reinterpret_cast<const words*>(b),
                    high = *reinterpret_cast<const words*>(b + lanes);
        FADE_CPU_UNROLL(12)
        for (int r = 0; r < Rows; ++r) {
            const words x = words{} + a[r / 3][r % 3 * a_row].word;
            add_dots(sum.at[r][0], x, low), add_dots(sum.at[r][1], x, high);
        }
        FADE_CPU_UNROLL(4)
        for (int i = 0; i < pointers; ++i) a[i] += a_k;
    }
    sum.store(p, 0, 0);
}
#undef FADE_DOT

/// As micro_kernel. Dot products take so long that one row costs as much as eight, so there are more kernels
/// for few rows.
template <class T, class Packs>
int dot_kernel(int rows, const packed_product<T, Packs>& p) {
    if (rows >= micro_rows) return dot_part<micro_rows>(p), micro_rows;
    if (rows >= 8) return dot_part<8>(p), 8;
    if (rows >= 4) return dot_part<4>(p), 4;
    if (rows >= 2) return dot_part<2>(p), 2;
    return dot_part<1>(p), 1;
}
#else
inline constexpr bool may_have_packs = false;
#endif

}  // namespace FADE_NAMESPACE::atom
