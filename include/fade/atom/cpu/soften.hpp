// The softmax of a row of scores with AVX-512's own instructions for powers of two and for bf16, or with any
// vectors.
#pragma once
#include <fade/atom/cpu/packed.hpp>
#include <fade/atom/cpu/softmax.hpp>

namespace FADE_NAMESPACE::atom {

#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
#define FADE_WIDE __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))

/// x = 2^x, to two units in the last place; minus infinity becomes zero.
FADE_CPU FADE_WIDE void power_of_two_wide(vector<float, 64>& x) {
    vector<float, 64> n;
    __asm__("vrndscaleps {$8, %1, %0|%0, %1, 8}" : "=v"(n) : "v"(x));
    x -= n;
    power_of_fraction<64>(x);
    __asm__("vscalefps {%1, %0, %0|%0, %0, %1}"
            : "+v"(x)
            : "v"(n));  // zero where n is minus infinity, whatever x - n was
}

FADE_CPU FADE_WIDE void put_probabilities(float* to, const vector<float, 64>& first,
                                          const vector<float, 64>& second) {
    lanes_of<float, 64>::store(to, first), lanes_of<float, 64>::store(to + 16, second);
}
/// Rounded to nearest even, by an instruction of those CPUs that multiply such packs; what is no normal
/// number of f32 becomes zero.
FADE_CPU FADE_WIDE void put_probabilities(packed<bf16>* to, const vector<float, 64>& first,
                                          const vector<float, 64>& second) {
    vector<std::uint32_t, 64> words;
    __asm__("vcvtne2ps2bf16 {%1, %2, %0|%0, %2, %1}" : "=v"(words) : "v"(first), "v"(second));
    *reinterpret_cast<vector<std::uint32_t, 64>*>(to) = words;
}

/// As soften_row; probabilities may take the place of scores, or of the first of them.
template <class To>
FADE_WIDE void soften_wide(To* probabilities, float* scores, int count, float scale, row_state* state,
                           float* factor) {
    using lanes = lanes_of<float, 64>;
    *factor = raise_maximum<64>(scores, count, scale, state);
    const float base = center_scores<64>(scores, count, scale, *state);
    lanes::vector sum{}, others{}, x, y;
    for (int i = 0; i < count; i += 32) {
        lanes::load(x, scores + i), lanes::load(y, scores + i + 16);
        x = x * scale - base, y = y * scale - base;
        power_of_two_wide(x), power_of_two_wide(y);
        sum += x, others += y;
        put_probabilities(probabilities + i / pack_of<To>, x, y);
    }
    sum += others;
    state->sum += fold<sum_of, 64>(sum);
}

/// Whole units of probabilities become packs.
FADE_WIDE inline void narrow_probabilities(packed<bf16>* to, const float* from, int count) {
    using lanes = lanes_of<float, 64>;
    for (int i = 0; i < count; i += 32) {
        lanes::vector x, y;
        lanes::load(x, from + i), lanes::load(y, from + i + 16);
        put_probabilities(to + i / 2, x, y);
    }
}
#undef FADE_WIDE
#else
// Only named: no other CPU multiplies packs, and no GPU calls this.
template <class To>
void soften_wide(To*, float*, int, float, row_state*, float*);
void narrow_probabilities(packed<bf16>*, const float*, int);
#endif

/// Scores become probabilities where they lie, by whatever vectors this CPU has.
inline void soften(float* scores, int count, float scale, row_state* state, float* factor) {
#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
    if (used_isa >= cpu_isa::avx512) return soften_wide(scores, scores, count, scale, state, factor);
#endif
    with_vectors<soften_row>(scores, count, scale, state, factor);
}

}  // namespace FADE_NAMESPACE::atom
