// What products of groups along k, and of groups with quantised weights, rest on: figures of what was
// measured, what was checked on a GPU, or that there is neither. No row speaks for another format, type,
// size or architecture.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/core/weights/format.hpp>
#include <fade/tune/gemm/select.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

inline std::string grouped_h200_words(const char* rows, const char* share,
                                      const char* whose = "grouped_gemm's") {
    return std::string("measured on an NVIDIA H200, 2026-11-28, 64 groups of ") + rows +
           " rows by chance, 2048 x 1536: " + share + " of " + whose + " speed";
}
inline std::string grouped_checked_words() {
    return "checked on an NVIDIA H200, 2026-11-28, beside sums in f64; nobody timed this kernel";
}

/// Of grouped_k_gemm: bf16 by the copy unit in large tiles was timed, and tiles of either size were checked,
/// others' large ones only to f32 from 16-bit types.
inline std::string grouped_k_evidence(std::string_view arch, dtype in, dtype out, operand_access access,
                                      size_class size) {
    if (arch == "sm_90a") {
        const bool half = in == dtype::f16 || in == dtype::bf16, widened = half && out == dtype::f32,
                   boxes = half && access == operand_access::tn, large = size == size_class::large;
        if (boxes && in == dtype::bf16 && large && (out == in || widened))
            return grouped_h200_words("32768", widened ? "0.97" : "1.16", "torch._grouped_mm's (of bf16)");
        if (widened || (out == in && (boxes || (!large && (half || in == dtype::f32 || in == dtype::f64)))))
            return grouped_checked_words();
    }
    return "none: nobody measured products of groups along k like these on " + std::string(arch);
}

/// Of grouped_weight_gemm; `group` is that of a problem whose format leaves it open. Rows of a list were not
/// timed.
inline std::string grouped_weight_evidence(std::string_view arch, const weight_format& format, index group,
                                           dtype in, dtype out, size_class size, bool list) {
    using namespace weights;
    const bool large = size == size_class::large, bf16 = in == dtype::bf16;
    if (arch == "sm_90a" && in == out && (bf16 || in == dtype::f16)) {
        if (bf16 && !list && format == gptq())
            return large ? grouped_h200_words("32768", "0.42") : grouped_h200_words("512", "0.74");
        if (bf16 && !list && format == mxfp4() && !large) return grouped_h200_words("512", "0.68");
        const bool of_both = format == gptq() || format == int8_rows() || format == mxfp4() ||
                             format == mxfp8() || format == nvfp4(),
                   of_one = bf16 ? format == awq()
                                 : (format == gptq(any_group) && (group == 16 || group == 64)) ||
                                       (format == awq(any_group) && group == 32),
                   as_large = bf16 && format == awq();
        if (large ? as_large : of_both || of_one) return grouped_checked_words();
    }
    return "none: nobody measured groups with quantised weights like these on " + std::string(arch);
}

}  // namespace FADE_NAMESPACE::tune
