// The wgmma instruction itself: the registers of D named one by one, as the assembler wants them.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>
#include <fade/core/operand_pair.hpp>

namespace FADE_NAMESPACE::atom {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Tiles of 64 columns beside each other, one to four: their registers by a constraint, and their
// parameters.
#define FADE_D8(C, d, i)                                                                                     \
    C((d)[i]), C((d)[i + 1]), C((d)[i + 2]), C((d)[i + 3]), C((d)[i + 4]), C((d)[i + 5]), C((d)[i + 6]),     \
        C((d)[i + 7])
#define FADE_D32(C, d) FADE_D8(C, d, 0), FADE_D8(C, d, 8), FADE_D8(C, d, 16), FADE_D8(C, d, 24)
#define FADE_1_TILE(C) FADE_D32(C, d0)
#define FADE_2_TILES(C) FADE_1_TILE(C), FADE_D32(C, d1)
#define FADE_3_TILES(C) FADE_2_TILES(C), FADE_D32(C, d2)
#define FADE_4_TILES(C) FADE_3_TILES(C), FADE_D32(C, d3)
#define FADE_1_PARAMETER(ACC) ACC* d0
#define FADE_2_PARAMETERS(ACC) ACC *d0, ACC *d1
#define FADE_3_PARAMETERS(ACC) ACC *d0, ACC *d1, ACC *d2
#define FADE_4_PARAMETERS(ACC) ACC *d0, ACC *d1, ACC *d2, ACC *d3
#define FADE_32_NAMES                                                                                        \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "                       \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define FADE_64_NAMES                                                                                        \
    FADE_32_NAMES                                                                                            \
    ", "                                                                                                     \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, "        \
    "%51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define FADE_96_NAMES                                                                                        \
    FADE_64_NAMES                                                                                            \
    ", "                                                                                                     \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, "        \
    "%83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define FADE_128_NAMES                                                                                       \
    FADE_96_NAMES                                                                                            \
    ", "                                                                                                     \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "           \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
template <class T>
struct wgmma_execute;

#define FADE_START(COLUMNS, K, TYPES, ACC, C, PARAMETERS, TILES, NAMES, OPERANDS, ...)                       \
    template <bool RowsA, bool RowsB, bool Fresh>                                                            \
    __device__ __forceinline__ static void start(std::uint64_t a, std::uint64_t b, PARAMETERS(ACC)) {        \
        asm volatile("wgmma.mma_async.sync.aligned.m64n" COLUMNS "k" K "." TYPES " {" NAMES "}, " OPERANDS   \
                     ";"                                                                                     \
                     : TILES(C)                                                                              \
                     : "l"(a), "l"(b), "n"(int(!Fresh))__VA_ARGS__);                                         \
    }
/// d += A B, or d = A B (Fresh): 64, 128, 192 or 256 columns of D, for which A is read once, and 32 bytes of
/// k. 16-bit operands may be contiguous along rows (RowsA, RowsB): what follows the descriptors says so.
#define FADE_WGMMA(T, K, TYPES, ACC, C, AT_32, AT_64, AT_96, AT_128, ...)                                    \
    template <>                                                                                              \
    struct wgmma_execute<T> {                                                                                \
        FADE_START("64", K, TYPES, ACC, C, FADE_1_PARAMETER, FADE_1_TILE, FADE_32_NAMES, AT_32, __VA_ARGS__) \
        FADE_START("128", K, TYPES, ACC, C, FADE_2_PARAMETERS, FADE_2_TILES, FADE_64_NAMES, AT_64,           \
                   __VA_ARGS__)                                                                              \
        FADE_START("192", K, TYPES, ACC, C, FADE_3_PARAMETERS, FADE_3_TILES, FADE_96_NAMES, AT_96,           \
                   __VA_ARGS__)                                                                              \
        FADE_START("256", K, TYPES, ACC, C, FADE_4_PARAMETERS, FADE_4_TILES, FADE_128_NAMES, AT_128,         \
                   __VA_ARGS__)                                                                              \
    }
#define FADE_TURNED , "n"(int(RowsA)), "n"(int(RowsB))
#define FADE_FLOAT(r) "+f"(r)
#define FADE_INT(r) "+r"(r)
FADE_WGMMA(f16, "16", "f32.f16.f16", float, FADE_FLOAT, "%32, %33, %34, 1, 1, %35, %36",
           "%64, %65, %66, 1, 1, %67, %68", "%96, %97, %98, 1, 1, %99, %100",
           "%128, %129, %130, 1, 1, %131, %132", FADE_TURNED);
FADE_WGMMA(bf16, "16", "f32.bf16.bf16", float, FADE_FLOAT, "%32, %33, %34, 1, 1, %35, %36",
           "%64, %65, %66, 1, 1, %67, %68", "%96, %97, %98, 1, 1, %99, %100",
           "%128, %129, %130, 1, 1, %131, %132", FADE_TURNED);
FADE_WGMMA(f8e4m3, "32", "f32.e4m3.e4m3", float, FADE_FLOAT, "%32, %33, %34, 1, 1", "%64, %65, %66, 1, 1",
           "%96, %97, %98, 1, 1", "%128, %129, %130, 1, 1", );
FADE_WGMMA(f8e5m2, "32", "f32.e5m2.e5m2", float, FADE_FLOAT, "%32, %33, %34, 1, 1", "%64, %65, %66, 1, 1",
           "%96, %97, %98, 1, 1", "%128, %129, %130, 1, 1", );
using wgmma_e4m3_e5m2 = operand_pair<f8e4m3, f8e5m2>;
using wgmma_e5m2_e4m3 = operand_pair<f8e5m2, f8e4m3>;
FADE_WGMMA(wgmma_e4m3_e5m2, "32", "f32.e4m3.e5m2", float, FADE_FLOAT, "%32, %33, %34, 1, 1",
           "%64, %65, %66, 1, 1", "%96, %97, %98, 1, 1", "%128, %129, %130, 1, 1", );
FADE_WGMMA(wgmma_e5m2_e4m3, "32", "f32.e5m2.e4m3", float, FADE_FLOAT, "%32, %33, %34, 1, 1",
           "%64, %65, %66, 1, 1", "%96, %97, %98, 1, 1", "%128, %129, %130, 1, 1", );
FADE_WGMMA(i8, "32", "s32.s8.s8", int, FADE_INT, "%32, %33, %34", "%64, %65, %66", "%96, %97, %98",
           "%128, %129, %130", );
#undef FADE_INT
#undef FADE_FLOAT
#undef FADE_TURNED
#undef FADE_WGMMA
#undef FADE_START
#undef FADE_128_NAMES
#undef FADE_96_NAMES
#undef FADE_64_NAMES
#undef FADE_32_NAMES
#undef FADE_4_PARAMETERS
#undef FADE_3_PARAMETERS
#undef FADE_2_PARAMETERS
#undef FADE_1_PARAMETER
#undef FADE_4_TILES
#undef FADE_3_TILES
#undef FADE_2_TILES
#undef FADE_1_TILE
#undef FADE_D32
#undef FADE_D8
#else
template <class T>
struct wgmma_execute {  // only sm_90a has it
    template <bool RowsA, bool RowsB, bool Fresh, class... Operands>
    FADE_FN static void start(Operands...);
};
#endif

}  // namespace FADE_NAMESPACE::atom
