// The innermost loops of the host: a few rows x 128 bytes of D in vector registers.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/atom/cpu/vector.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// 12 rows x 2 vectors of 64 bytes fill AVX-512's registers; 6 x 2 of 32 bytes those of AVX2.
inline constexpr int micro_rows = 12;

/// Where a product of a few rows of A with 128 bytes of B lies. Strides count elements of Left and Right;
/// those of packs are words.
template <class T, class Left = T, class Right = Left>
struct micro_product {
    const Left* a;  ///< at (row, k): a[row * a_row + k * a_k]
    index a_row, a_k;
    const Right* b;  ///< 128 bytes at k: b + k * b_k
    index b_k;
    int depth;
    const T* from;  ///< what the product is added to; null: zero
    T* to;
    index from_pitch, to_pitch;
};

/// Rows x 2 vectors of sums in registers, from and to (row, column) of a product.
template <class T, int Bytes, int Rows>
struct micro_sums {
    using lanes = lanes_of<T, Bytes>;
    typename lanes::vector at[Rows][2];

    FADE_CPU void load(const auto& p, int row, int column) {
        FADE_CPU_UNROLL(12)
        for (int r = 0; r < Rows; ++r) {
            if (const T* from = p.from)
                from += (row + r) * p.from_pitch + column, lanes::load(at[r][0], from),
                    lanes::load(at[r][1], from + lanes::count);
            else
                at[r][0] = at[r][1] = typename lanes::vector{};
        }
    }
    FADE_CPU void subtract(const T* row) {
        typename lanes::vector left, right;
        lanes::load(left, row), lanes::load(right, row + lanes::count);
        FADE_CPU_UNROLL(12)
        for (int r = 0; r < Rows; ++r) at[r][0] -= left, at[r][1] -= right;
    }
    FADE_CPU void store(const auto& p, int row, int column) const {
        FADE_CPU_UNROLL(12)
        for (int r = 0; r < Rows; ++r) {
            T* to = p.to + (row + r) * p.to_pitch + column;
            lanes::store(to, at[r][0]), lanes::store(to + lanes::count, at[r][1]);
        }
    }
};

/// to = from + a b for Rows x 2 vectors at (row, column) of a product.
/// Three rows share a pointer, since an address may scale a stride by 1 and 2: twelve pointers would not fit
/// the registers.
template <class T, int Bytes, int Rows>
FADE_CPU void micro_part(const micro_product<T>& p, int row, int column) {
    using lanes = lanes_of<T, Bytes>;
    constexpr int pointers = ceil_div(Rows, 3);
    micro_sums<T, Bytes, Rows> sum;
    const T *a[pointers], *b = p.b + column;
    const index a_row = p.a_row, a_k = p.a_k, b_k = p.b_k;
    FADE_CPU_UNROLL(4)
    for (int i = 0; i < pointers; ++i) a[i] = p.a + (row + 3 * i) * a_row;
    sum.load(p, row, column);
    for (int k = 0; k < p.depth; ++k, b += b_k) {
        typename lanes::vector left, right;
        lanes::load(left, b), lanes::load(right, b + lanes::count);
        FADE_CPU_UNROLL(12)
        for (int r = 0; r < Rows; ++r) {
            const auto x = wrapping<T>(a[r / 3][r % 3 * a_row]);
            sum.at[r][0] += x * left, sum.at[r][1] += x * right;
        }
        FADE_CPU_UNROLL(4)
        for (int i = 0; i < pointers; ++i) a[i] += a_k;
    }
    sum.store(p, row, column);
}

/// Covers Rows x 128 bytes with as many parts as the registers demand.
template <class T, int Rows>
struct micro {
    template <int Bytes>
    FADE_CPU static void apply(const micro_product<T>* p) {
        constexpr int part = Bytes == 64 ? Rows : min_of(Rows, 6), lanes = Bytes / int(sizeof(T));
        for (int r = 0; r < Rows; r += part)
            for (int c = 0; c < 128 / int(sizeof(T)); c += 2 * lanes) micro_part<T, Bytes, part>(*p, r, c);
    }
};

/// Multiplies the first of `rows` rows, as many as there is a kernel for, and says how many.
template <class T>
int micro_kernel(int rows, const micro_product<T>& p) {
    if (rows >= micro_rows) return with_vectors<micro<T, micro_rows>>(&p), micro_rows;
    if (rows >= 4) return with_vectors<micro<T, 4>>(&p), 4;
    return with_vectors<micro<T, 1>>(&p), 1;
}

}  // namespace FADE_NAMESPACE::atom
