// wgmma whose accumulators are named eight columns at a time, so that one product can feed the next in
// registers.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::atom {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// A lane's registers of eight columns: the instruction holds row after row, d alternates between its two
// rows.
#define FADE_D4(i) "+f"(d[i][0]), "+f"(d[i][2]), "+f"(d[i][1]), "+f"(d[i][3])
#define FADE_D32(i)                                                                                          \
    FADE_D4(i), FADE_D4(i + 1), FADE_D4(i + 2), FADE_D4(i + 3), FADE_D4(i + 4), FADE_D4(i + 5),              \
        FADE_D4(i + 6), FADE_D4(i + 7)
#define FADE_NAMES32                                                                                         \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "   \
    "%22, %23, %24, %25, %26, "                                                                              \
    "%27, %28, %29, %30, %31"
#define FADE_D16(i) FADE_D4(i), FADE_D4(i + 1), FADE_D4(i + 2), FADE_D4(i + 3)
#define FADE_NAMES4 "%0, %1, %2, %3"
#define FADE_NAMES8 FADE_NAMES4 ", %4, %5, %6, %7"
#define FADE_NAMES16 FADE_NAMES8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define FADE_NAMES48                                                                                         \
    FADE_NAMES32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define FADE_NAMES64                                                                                         \
    FADE_NAMES48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define FADE_WGMMA(columns, type, names)                                                                     \
    "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type " {" names "}, "
#define FADE_SHARED_BY_SHARED(columns, type, names, x, y, z, w, v, ...)                                      \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " z ", 0;\n\t" FADE_WGMMA(columns, type, names) x     \
                 ", " y ", p, 1, 1, 0, 0;\n\t}"                                                              \
                 : __VA_ARGS__                                                                               \
                 : "l"(a), "l"(b), "r"(int(added)))
#define FADE_REGISTERS_BY_SHARED(columns, type, names, x, y, z, w, desc, ...)                                \
    asm volatile(FADE_WGMMA(columns, type, names) "{" x ", " y ", " z ", " w "}, " desc ", 1, 1, 1, 1;"      \
                 : __VA_ARGS__                                                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define FADE_REGISTERS_ALONG_K(columns, type, names, x, y, z, w, desc, p, ...)                               \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " p                                                   \
                 ", 0;\n\t" FADE_WGMMA(columns, type, names) "{" x ", " y ", " z ", " w "}, " desc           \
                                                             ", p, 1, 1, 0;\n\t}"                            \
                 : __VA_ARGS__                                                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(added)))
#define FADE_BY_FEW(type)                                                                                    \
    if constexpr (Atoms == 1)                                                                                \
        FADE_REGISTERS_ALONG_K("8", type, FADE_NAMES4, "%4", "%5", "%6", "%7", "%8", "%9", FADE_D4(0));      \
    else if constexpr (Atoms == 2)                                                                           \
        FADE_REGISTERS_ALONG_K("16", type, FADE_NAMES8, "%8", "%9", "%10", "%11", "%12", "%13", FADE_D4(0),  \
                               FADE_D4(1));                                                                  \
    else if constexpr (Atoms == 4)                                                                           \
        FADE_REGISTERS_ALONG_K("32", type, FADE_NAMES16, "%16", "%17", "%18", "%19", "%20", "%21",           \
                               FADE_D16(0));                                                                 \
    else                                                                                                     \
        FADE_REGISTERS_ALONG_K("64", type, FADE_NAMES32, "%32", "%33", "%34", "%35", "%36", "%37",           \
                               FADE_D32(0))
#define FADE_BY_WIDTH(product, type)                                                                         \
    if constexpr (Atoms == 8)                                                                                \
        product("64", type, FADE_NAMES32, "%32", "%33", "%34", "%35", "%36", FADE_D32(0));                   \
    else if constexpr (Atoms == 12)                                                                          \
        product("96", type, FADE_NAMES48, "%48", "%49", "%50", "%51", "%52", FADE_D32(0), FADE_D16(8));      \
    else                                                                                                     \
        product("128", type, FADE_NAMES64, "%64", "%65", "%66", "%67", "%68", FADE_D32(0), FADE_D32(8))

/// Starts d = A B^T, or d += A B^T where `added`, for 8 Atoms columns; both operands are contiguous along k
/// in shared memory.
template <bool Half, int Atoms>
__device__ __forceinline__ void wgmma_shared(vec<float, 4>* d, std::uint64_t a, std::uint64_t b, bool added) {
    if constexpr (Half) {
        FADE_BY_WIDTH(FADE_SHARED_BY_SHARED, "f16");
    } else {
        FADE_BY_WIDTH(FADE_SHARED_BY_SHARED, "bf16");
    }
}

/// Starts d += A B^T for 8 Atoms columns; A is in registers, B contiguous along its rows in shared memory.
template <bool Half, int Atoms>
__device__ __forceinline__ void wgmma_registers(vec<float, 4>* d, const vec<unsigned, 4>& a,
                                                std::uint64_t b) {
    if constexpr (Half) {
        FADE_BY_WIDTH(FADE_REGISTERS_BY_SHARED, "f16");
    } else {
        FADE_BY_WIDTH(FADE_REGISTERS_BY_SHARED, "bf16");
    }
}

/// Starts d = A B^T, or d += A B^T where `added`, for 8 Atoms columns, 8 to 64; A is in registers, B
/// contiguous along k in shared memory.
template <bool Half, int Atoms>
__device__ __forceinline__ void wgmma_along_k(vec<float, 4>* d, const vec<unsigned, 4>& a, std::uint64_t b,
                                              bool added) {
    static_assert(Atoms == 1 || Atoms == 2 || Atoms == 4 || Atoms == 8);
    if constexpr (Half) {
        FADE_BY_FEW("f16");
    } else {
        FADE_BY_FEW("bf16");
    }
}

#undef FADE_BY_FEW
#undef FADE_REGISTERS_ALONG_K
#undef FADE_NAMES16
#undef FADE_NAMES8
#undef FADE_NAMES4
#undef FADE_BY_WIDTH
#undef FADE_REGISTERS_BY_SHARED
#undef FADE_SHARED_BY_SHARED
#undef FADE_WGMMA
#undef FADE_NAMES64
#undef FADE_NAMES48
#undef FADE_NAMES32
#undef FADE_D32
#undef FADE_D16
#undef FADE_D4
#else
template <bool Half, int Atoms>
FADE_FN void wgmma_shared(vec<float, 4>*, std::uint64_t, std::uint64_t, bool);  // only sm_90a has them
template <bool Half, int Atoms>
FADE_FN void wgmma_registers(vec<float, 4>*, const vec<unsigned, 4>&, std::uint64_t);
template <bool Half, int Atoms>
FADE_FN void wgmma_along_k(vec<float, 4>*, const vec<unsigned, 4>&, std::uint64_t, bool);
#endif

}  // namespace FADE_NAMESPACE::atom
