// The namespace of FADE: `fade`, and in it one for each set of instructions that a compiler may use.
#pragma once

// Most functions of FADE are weak symbols, of which a linker keeps one for all objects. An object that was
// compiled for other CPUs than every x86-64 therefore names its functions after what they may use: a program
// might else call, on a CPU without AVX-512, what another object made of it. These namespaces are inline, so
// that nobody need write them: fade::avx512_bw_dq_vl::gemm is fade::gemm.
#if defined(__x86_64__) && (defined(__SSE3__) || defined(__AVX__))

#if defined(__AVX512F__)
#define FADE_ISA_WIDTH avx512
#elif defined(__AVX2__)
#define FADE_ISA_WIDTH avx2
#elif defined(__AVX__) && defined(__FMA__)
#define FADE_ISA_WIDTH avx_fma
#elif defined(__AVX__)
#define FADE_ISA_WIDTH avx
#elif defined(__SSE4_2__)
#define FADE_ISA_WIDTH sse42
#else
#define FADE_ISA_WIDTH sse3
#endif

// `word` where the compiler defines `flag` as 1, else nothing.
#define FADE_ISA_WORD(flag, word) FADE_ISA_WORD_OF(flag, word)
#define FADE_ISA_WORD_OF(flag, word) FADE_ISA_SECOND(FADE_ISA_SHIFT_##flag word, , )
#define FADE_ISA_SHIFT_1 ,
#define FADE_ISA_SECOND(...) FADE_ISA_SECOND_OF(__VA_ARGS__)
#define FADE_ISA_SECOND_OF(first, second, ...) second
#define FADE_ISA_JOIN(...) FADE_ISA_JOIN_OF(__VA_ARGS__)
#define FADE_ISA_JOIN_OF(a, b, c, d, e, f, g) a##b##c##d##e##f##g

#define FADE_NAMESPACE                                                                                       \
    fade::inline FADE_ISA_JOIN(FADE_ISA_WIDTH, FADE_ISA_WORD(__AVX512BW__, _bw),                             \
                               FADE_ISA_WORD(__AVX512DQ__, _dq), FADE_ISA_WORD(__AVX512VL__, _vl),           \
                               FADE_ISA_WORD(__AVX512VNNI__, _vnni), FADE_ISA_WORD(__AVX512BF16__, _bf16),   \
                               FADE_ISA_WORD(__AVX512FP16__, _fp16))
#else
#define FADE_NAMESPACE fade
#endif
