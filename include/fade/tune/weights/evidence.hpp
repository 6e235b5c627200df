// What the choice of a kernel for quantised weights rests on: figures of what was measured, or that there are
// none. No row speaks for another format, type, policy or architecture.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/core/weights/format.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// One kernel of bf16 that was timed beside gemm of bf16, n x k from 4096 x 4096 to 28672 x 8192
/// (docs/weight-gemm.md).
struct weight_measurement {
    weight_format format;
    tile_shape block_tile;
    const char* words;
};
// AWQ's tiles of 16 x 256 changed after they were timed.
inline constexpr weight_measurement weight_measurements[] = {
    {weights::gptq(), {8, 64, 512}, "2026-11-28, beside gemm of bf16: 1 and 8 rows at 1.84 to 2.74"},
    {weights::gptq(), {16, 64, 512}, "2026-11-28, beside gemm of bf16: 16 rows at 1.63 to 2.25"},
    {weights::gptq(), {32, 64, 256}, "2026-11-28, beside gemm of bf16: 32 rows at 1.27 to 1.57"},
    {weights::gptq(), {64, 32, 256}, "2026-11-28, beside gemm of bf16: 64 rows at 0.91 to 0.96"},
    {weights::gptq(), {8, 256, 512}, "2026-11-28, beside gemm of bf16: 1 and 8 rows at 2.43 to 3.33"},
    {weights::gptq(), {16, 256, 512}, "2026-11-28, beside gemm of bf16: 16 rows at 2.00 to 2.71"},
    {weights::gptq(), {32, 256, 128}, "2026-11-28, beside gemm of bf16: 32 rows at 1.71 to 1.98"},
    {weights::gptq(), {64, 256, 128}, "2026-11-28, beside gemm of bf16: 64 rows at 0.90 to 1.51"},
    {weights::awq(), {8, 64, 256}, "2026-11-28, beside gemm of bf16: 1 and 8 rows at 1.56 to 1.93"},
    {weights::awq(), {16, 64, 512}, "2026-11-28, beside gemm of bf16: 16 rows at 1.27 to 1.70"},
    {weights::awq(), {32, 64, 256}, "2026-11-28, beside gemm of bf16: 32 rows at 1.11 to 1.40"},
    {weights::awq(), {8, 256, 512}, "2026-11-28, beside gemm of bf16: 1 and 8 rows at 2.08 to 2.71"},
    {weights::awq(), {32, 256, 256}, "2026-11-28, beside gemm of bf16: 32 rows at 1.38 to 1.66"},
    {weights::awq(), {64, 256, 128}, "2026-11-28, beside gemm of bf16: 64 rows at 0.79 to 1.32"},
    {weights::mxfp4(), {16, 16, 512}, "2026-11-26, beside gemm of bf16: 1 to 16 rows at 0.83 to 1.07"},
};

/// One kernel of weight_gemm, in words, for a D of m x n; `asks`: does the caller ask for parts of k?
inline std::string weight_evidence(std::string_view arch, const weight_format& format, dtype in, dtype out,
                                   const gemm_policy& policy, index m, index n, bool asks) {
    // Lines of AWQ that come in words of 4 bytes were not timed.
    const bool timed = arch == "sm_90a" && in == dtype::bf16 && out == dtype::bf16 &&
                       m <= policy.block_tile.m && !asks &&
                       (format.order != weight_order::awq || n % 32 == 0);
    if (timed)
        for (const weight_measurement& of : weight_measurements)
            if (of.format == format && of.block_tile == policy.block_tile)
                return std::string("measured on an NVIDIA H200, ") + of.words + " of its speed";
    return "none: nobody measured products with quantised weights like these on " + std::string(arch);
}

}  // namespace FADE_NAMESPACE::tune
