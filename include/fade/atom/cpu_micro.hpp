// The innermost loops of the host: micro_rows x 128 bytes of D in vector registers, for the best instruction set of this CPU.
#pragma once

namespace fade::atom {

/// 12 rows x 2 vectors of 64 bytes fill AVX-512's registers; 6 x 2 of 32 bytes those of AVX2.
inline constexpr int micro_rows = 12;

template <class T>
using micro_function = void (*)(T* d, int pitch, const T* a, const T* b, int depth);

/// d(Rows x 2 vectors) += a b over depth steps of k; `a` holds micro_rows values a step, `b` 128 bytes.
template <class T, int Bytes, int Rows>
inline __attribute__((always_inline)) void micro_part(T* d, int pitch, const T* a, const T* b, int depth) {
    typedef T vector __attribute__((vector_size(Bytes), aligned(sizeof(T)), may_alias));
    constexpr int lanes = Bytes / int(sizeof(T)), columns = 128 / int(sizeof(T));
    vector sum[Rows][2];
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
        sum[r][0] = *reinterpret_cast<const vector*>(d + r * pitch);
        sum[r][1] = *reinterpret_cast<const vector*>(d + r * pitch + lanes);
    }
    for (int k = 0; k < depth; ++k, a += micro_rows, b += columns) {
        const vector left = *reinterpret_cast<const vector*>(b), right = *reinterpret_cast<const vector*>(b + lanes);
#pragma GCC unroll 12
        for (int r = 0; r < Rows; ++r) sum[r][0] += a[r] * left, sum[r][1] += a[r] * right;
    }
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
        *reinterpret_cast<vector*>(d + r * pitch) = sum[r][0];
        *reinterpret_cast<vector*>(d + r * pitch + lanes) = sum[r][1];
    }
}

/// Covers micro_rows x 128 bytes with parts of Rows x 2 vectors.
template <class T, int Bytes, int Rows>
inline __attribute__((always_inline)) void micro_cover(T* d, int pitch, const T* a, const T* b, int depth) {
    constexpr int lanes = Bytes / int(sizeof(T)), columns = 128 / int(sizeof(T));
    for (int r = 0; r < micro_rows; r += Rows)
        for (int c = 0; c < columns; c += 2 * lanes) micro_part<T, Bytes, Rows>(d + r * pitch + c, pitch, a + r, b + c, depth);
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"))) void micro_avx512(T* d, int pitch, const T* a, const T* b, int depth) {
    micro_cover<T, 64, 12>(d, pitch, a, b, depth);
}
template <class T>
__attribute__((target("avx2,fma"))) void micro_avx2(T* d, int pitch, const T* a, const T* b, int depth) {
    micro_cover<T, 32, 6>(d, pitch, a, b, depth);
}
#endif

/// 16-byte vectors: SSE2 on x86, NEON on Arm.
template <class T>
void micro_portable(T* d, int pitch, const T* a, const T* b, int depth) {
    micro_cover<T, 16, 6>(d, pitch, a, b, depth);
}

template <class T>
micro_function<T> best_micro() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) return micro_avx512<T>;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return micro_avx2<T>;
#endif
    return micro_portable<T>;
}

template <class T>
void micro_kernel(T* d, int pitch, const T* a, const T* b, int depth) {
    static const micro_function<T> chosen = best_micro<T>();
    chosen(d, pitch, a, b, depth);
}

}  // namespace fade::atom
