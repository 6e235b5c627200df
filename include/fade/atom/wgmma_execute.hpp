// The wgmma instruction itself: the registers of D named one by one, as the assembler wants them.
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::atom {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define FADE_D8(d, i)                                                                                        \
    "+f"((d)[i]), "+f"((d)[i + 1]), "+f"((d)[i + 2]), "+f"((d)[i + 3]), "+f"((d)[i + 4]), "+f"((d)[i + 5]),  \
        "+f"((d)[i + 6]), "+f"((d)[i + 7])
#define FADE_D32(d) FADE_D8(d, 0), FADE_D8(d, 8), FADE_D8(d, 16), FADE_D8(d, 24)
#define FADE_32_NAMES                                                                                        \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "                       \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
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
    "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "                           \
    "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "                         \
    "%124, %125, %126, %127"
/// 64 columns.
template <bool Half, bool RowsA, bool RowsB>
__device__ __forceinline__ void wgmma_start(float* d, std::uint64_t a, std::uint64_t b) {
    if constexpr (Half)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" FADE_32_NAMES
                     "}, %32, %33, 1, 1, 1, %34, %35;"
                     : FADE_D32(d)
                     : "l"(a), "l"(b), "n"(int(RowsA)), "n"(int(RowsB)));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" FADE_32_NAMES
                     "}, %32, %33, 1, 1, 1, %34, %35;"
                     : FADE_D32(d)
                     : "l"(a), "l"(b), "n"(int(RowsA)), "n"(int(RowsB)));
}
/// 128 columns, of which A is read once.
template <bool Half, bool RowsA, bool RowsB>
__device__ __forceinline__ void wgmma_start(float* d0, float* d1, std::uint64_t a, std::uint64_t b) {
    if constexpr (Half)
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" FADE_64_NAMES
                     "}, %64, %65, 1, 1, 1, %66, %67;"
                     : FADE_D32(d0), FADE_D32(d1)
                     : "l"(a), "l"(b), "n"(int(RowsA)), "n"(int(RowsB)));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" FADE_64_NAMES
                     "}, %64, %65, 1, 1, 1, %66, %67;"
                     : FADE_D32(d0), FADE_D32(d1)
                     : "l"(a), "l"(b), "n"(int(RowsA)), "n"(int(RowsB)));
}
/// 256 columns, of which A is read once.
template <bool Half, bool RowsA, bool RowsB>
__device__ __forceinline__ void wgmma_start(float* d0, float* d1, float* d2, float* d3, std::uint64_t a,
                                            std::uint64_t b) {
    if constexpr (Half)
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" FADE_128_NAMES
                     "}, %128, %129, 1, 1, 1, %130, %131;"
                     : FADE_D32(d0), FADE_D32(d1), FADE_D32(d2), FADE_D32(d3)
                     : "l"(a), "l"(b), "n"(int(RowsA)), "n"(int(RowsB)));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" FADE_128_NAMES
                     "}, %128, %129, 1, 1, 1, %130, %131;"
                     : FADE_D32(d0), FADE_D32(d1), FADE_D32(d2), FADE_D32(d3)
                     : "l"(a), "l"(b), "n"(int(RowsA)), "n"(int(RowsB)));
}
#undef FADE_128_NAMES
#undef FADE_64_NAMES
#undef FADE_32_NAMES
#undef FADE_D32
#undef FADE_D8
#else
template <bool Half, bool RowsA, bool RowsB, class... Operands>
FADE_FN void wgmma_start(Operands...);  // only sm_90a has it
#endif

}  // namespace FADE_NAMESPACE::atom
