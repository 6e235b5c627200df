// The mma.sync instructions themselves, by the type of their elements.
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/core/operand_pair.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::atom {

/// d += a b of one warp.
template <class T>
struct mma_sm80_execute {
    template <class D, class A, class B>
    FADE_FN static void apply(D&, const A&, const B&);  // no such instruction in this pass of the compiler
};

#if defined(__CUDA_ARCH__)
#define FADE_MMA_SM80(T, FORM, SUM)                                                                          \
    template <>                                                                                              \
    struct mma_sm80_execute<T> {                                                                             \
        template <class D, class A, class B>                                                                 \
        FADE_FN static void apply(D& d, const A& a, const B& b) {                                            \
            const auto x = bits<vec<unsigned, 4>>(a);                                                        \
            const auto y = bits<vec<unsigned, 2>>(b);                                                        \
            asm("mma.sync.aligned." FORM " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"            \
                : SUM(d[0]), SUM(d[1]), SUM(d[2]), SUM(d[3])                                                 \
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));                         \
        }                                                                                                    \
    }

FADE_MMA_SM80(f16, "m16n8k16.row.col.f32.f16.f16.f32", "+f");
FADE_MMA_SM80(bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", "+f");
FADE_MMA_SM80(i8, "m16n8k32.row.col.s32.s8.s8.s32", "+r");
#if __CUDA_ARCH__ >= 890
FADE_MMA_SM80(f8e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", "+f");
FADE_MMA_SM80(f8e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", "+f");
using e4m3_e5m2 = operand_pair<f8e4m3, f8e5m2>;
using e5m2_e4m3 = operand_pair<f8e5m2, f8e4m3>;
FADE_MMA_SM80(e4m3_e5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32", "+f");
FADE_MMA_SM80(e5m2_e4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32", "+f");
#endif
#undef FADE_MMA_SM80
#endif

}  // namespace FADE_NAMESPACE::atom
