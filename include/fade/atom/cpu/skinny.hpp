// The innermost loops of products with few rows or few columns: vectors of the other operand are loaded once,
// where they lie.
#pragma once
#include <fade/atom/cpu/dot.hpp>
#include <fade/atom/cpu/pack.hpp>

namespace FADE_NAMESPACE::atom {

/// How many lines of the wide operand, and of the few, are multiplied at once.
inline constexpr int wide_lines = 4, few_lines = 4;

/// Vectors of sums over k of wide_lines lines with few_lines lines. `depth` is whole vectors of 64 bytes of
/// Few; each pair has 64 bytes of `sums`, which are added to.
template <class T, class In, class Few>
struct line_dots {
    const In* wide[wide_lines];
    const Few* few[few_lines];
    int depth, ahead;  ///< ahead: which elements are asked for early
    T (*sums)[few_lines][64 / sizeof(T)];
};

/// The first Count of the few lines; elements of the wide ones are converted as they are loaded.
template <int Count>
struct dot_lines {
    template <int Bytes, class T, class In>
    FADE_CPU static void apply(const line_dots<T, In, T>* p) {
        using lanes = lanes_of<T, Bytes>;
        typename lanes::vector sum[wide_lines][Count], wide[wide_lines], few;
        FADE_CPU_UNROLL(4)
        for (int w = 0; w < wide_lines; ++w) FADE_CPU_UNROLL(4)
        for (int f = 0; f < Count; ++f) lanes::load(sum[w][f], p->sums[w][f]);
        for (int k = 0; k < p->depth; k += lanes::count) {
            FADE_CPU_UNROLL(4)
            for (int w = 0; w < wide_lines; ++w)
                lanes::load(wide[w], p->wide[w] + k), __builtin_prefetch(p->wide[w] + k + p->ahead);
            FADE_CPU_UNROLL(4)
            for (int f = 0; f < Count; ++f) {
                lanes::load(few, p->few[f] + k);
                FADE_CPU_UNROLL(4)
                for (int w = 0; w < wide_lines; ++w) sum[w][f] += wide[w] * few;
            }
        }
        FADE_CPU_UNROLL(4)
        for (int w = 0; w < wide_lines; ++w) FADE_CPU_UNROLL(4)
        for (int f = 0; f < Count; ++f) lanes::store(p->sums[w][f], sum[w][f]);
    }
};

/// to[w][f] = the lanes of sums[w][f] in all.
struct join_dots {
    template <int Bytes, class T>
    FADE_CPU static void apply(const T (*sums)[few_lines][64 / sizeof(T)], T (*to)[few_lines]) {
        using lanes = lanes_of<T, Bytes>;
        if constexpr (lanes::count == wide_lines * few_lines) {
            typename lanes::vector x[lanes::count];
            FADE_CPU_UNROLL(16)
            for (int i = 0; i < lanes::count; ++i) lanes::load(x[i], sums[0][0] + i * lanes::count);
            FADE_CPU_UNROLL(4)
            for (int left = lanes::count / 2; left > 0; left /= 2) FADE_CPU_UNROLL(8)
            for (int i = 0; i < left; ++i) {
                vector<float, Bytes> low, high;  // only moved, so its class does not matter
                interleave(low, high, (vector<float, Bytes>)x[i], (vector<float, Bytes>)x[i + left]);
                x[i] = (typename lanes::vector)low + (typename lanes::vector)high;
            }
            lanes::store(to[0], x[0]);
        } else {
            for (int w = 0; w < wide_lines; ++w)
                for (int f = 0; f < few_lines; ++f) {
                    T sum = sums[w][f][0];
                    for (int i = 1; i < lanes::count; ++i) sum = wrapping_sum(sum, sums[w][f][i]);
                    to[w][f] = sum;
                }
        }
    }
};

/// sums[i] += the sum of factors[j] from[j * pitch + i] over axpy_depth j.
inline constexpr int axpy_depth = 8;
struct add_lines {
    template <int Bytes, class T, class In>
    FADE_CPU static void apply(T* sums, const In* from, index pitch, const T* factors, int count) {
        using lanes = lanes_of<T, Bytes>;
        int i = 0;
        for (; i + lanes::count <= count; i += lanes::count) {
            typename lanes::vector sum, x;
            lanes::load(sum, sums + i);
            FADE_CPU_UNROLL(8)
            for (int j = 0; j < axpy_depth; ++j)
                lanes::load(x, from + j * pitch + i), sum += wrapping<T>(factors[j]) * x;
            lanes::store(sums + i, sum);
        }
        for (; i < count; ++i)
            for (int j = 0; j < axpy_depth; ++j)
                sums[i] =
                    wrapping_sum(sums[i], wrapping_product(factors[j], convert<T>(from[j * pitch + i])));
    }
};

#if defined(__x86_64__)
#define FADE_DOT __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512bf16,avx2,fma")))
/// As dot_lines, in packs: bits of the wide lines are inverted as Packs::left says.
template <int Count, class Packs, class T, class In>
FADE_DOT void dot_packed_lines(const line_dots<T, In, In>& p) {
    using words = vector<std::uint32_t, 64>;
    using sums = vector<wrapping<T>, 64>;
    sums sum[wide_lines][Count];
    FADE_CPU_UNROLL(4)
    for (int w = 0; w < wide_lines; ++w) FADE_CPU_UNROLL(4)
    for (int f = 0; f < Count; ++f) sum[w][f] = *reinterpret_cast<const sums*>(p.sums[w][f]);
    for (int k = 0; k < p.depth; k += 64 / int(sizeof(In))) {
        words wide[wide_lines];
        FADE_CPU_UNROLL(4)
        for (int w = 0; w < wide_lines; ++w)
            wide[w] = *reinterpret_cast<const words*>(p.wide[w] + k) ^ Packs::left::flip,
            __builtin_prefetch(p.wide[w] + k + p.ahead);
        FADE_CPU_UNROLL(4)
        for (int f = 0; f < Count; ++f) {
            const words few = *reinterpret_cast<const words*>(p.few[f] + k);
            FADE_CPU_UNROLL(4)
            for (int w = 0; w < wide_lines; ++w) add_dots(sum[w][f], wide[w], few);
        }
    }
    FADE_CPU_UNROLL(4)
    for (int w = 0; w < wide_lines; ++w) FADE_CPU_UNROLL(4)
    for (int f = 0; f < Count; ++f) *reinterpret_cast<sums*>(p.sums[w][f]) = sum[w][f];
}
#undef FADE_DOT
#endif

}  // namespace FADE_NAMESPACE::atom
