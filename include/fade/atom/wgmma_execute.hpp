// The wgmma instruction itself: the registers of D named one by one, as the assembler wants them.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::atom {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define FADE_D8(C, d, i)                                                                                     \
    C((d)[i]), C((d)[i + 1]), C((d)[i + 2]), C((d)[i + 3]), C((d)[i + 4]), C((d)[i + 5]), C((d)[i + 6]),     \
        C((d)[i + 7])
#define FADE_D64(C, d)                                                                                       \
    FADE_D8(C, d, 0), FADE_D8(C, d, 8), FADE_D8(C, d, 16), FADE_D8(C, d, 24), FADE_D8(C, d, 32),             \
        FADE_D8(C, d, 40), FADE_D8(C, d, 48), FADE_D8(C, d, 56)
#define FADE_F64(d) FADE_D64("+f", d)
#define FADE_I64(d) FADE_D64("+r", d)
#define FADE_64_NAMES                                                                                        \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "                       \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "                       \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "                       \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define FADE_128_NAMES                                                                                       \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "                       \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "                       \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "                       \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "                       \
    "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "                       \
    "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "                       \
    "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                     \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "                   \
    "%126, %127"
template <class T>
struct wgmma_execute;

/// d += A B, or d = A B (Fresh): 128 columns of D, and 256, of which A is read once; 32 bytes of k. Registers
/// and what follows the descriptors are those of the type. 16-bit operands may be contiguous along rows
/// (RowsA, RowsB).
#define FADE_WGMMA(T, K, TYPES, ACC, D64, SCALES64, SCALES128, ...)                                          \
    template <>                                                                                              \
    struct wgmma_execute<T> {                                                                                \
        template <bool RowsA, bool RowsB, bool Fresh>                                                        \
        __device__ __forceinline__ static void start(ACC* d, std::uint64_t a, std::uint64_t b) {             \
            asm volatile("wgmma.mma_async.sync.aligned.m64n128k" K "." TYPES " {" FADE_64_NAMES              \
                         "}, %64, %65, %66" SCALES64 ";"                                                     \
                         : D64(d)                                                                            \
                         : "l"(a), "l"(b), "n"(int(!Fresh))__VA_ARGS__);                                     \
        }                                                                                                    \
        template <bool RowsA, bool RowsB, bool Fresh>                                                        \
        __device__ __forceinline__ static void start(ACC* left, ACC* right, std::uint64_t a,                 \
                                                     std::uint64_t b) {                                      \
            asm volatile("wgmma.mma_async.sync.aligned.m64n256k" K "." TYPES " {" FADE_128_NAMES             \
                         "}, %128, %129, %130" SCALES128 ";"                                                 \
                         : D64(left), D64(right)                                                             \
                         : "l"(a), "l"(b), "n"(int(!Fresh))__VA_ARGS__);                                     \
        }                                                                                                    \
    }
#define FADE_TURNED , "n"(int(RowsA)), "n"(int(RowsB))
FADE_WGMMA(f16, "16", "f32.f16.f16", float, FADE_F64, ", 1, 1, %67, %68", ", 1, 1, %131, %132", FADE_TURNED);
FADE_WGMMA(bf16, "16", "f32.bf16.bf16", float, FADE_F64, ", 1, 1, %67, %68", ", 1, 1, %131, %132",
           FADE_TURNED);
FADE_WGMMA(f8e4m3, "32", "f32.e4m3.e4m3", float, FADE_F64, ", 1, 1", ", 1, 1", );
FADE_WGMMA(f8e5m2, "32", "f32.e5m2.e5m2", float, FADE_F64, ", 1, 1", ", 1, 1", );
FADE_WGMMA(i8, "32", "s32.s8.s8", int, FADE_I64, "", "", );
#undef FADE_TURNED
#undef FADE_WGMMA
#undef FADE_128_NAMES
#undef FADE_64_NAMES
#undef FADE_I64
#undef FADE_F64
#undef FADE_D64
#undef FADE_D8
#else
template <class T>
struct wgmma_execute {  // only sm_90a has it
    template <bool RowsA, bool RowsB, bool Fresh, class... Operands>
    FADE_FN static void start(Operands...);
};
#endif

}  // namespace FADE_NAMESPACE::atom
