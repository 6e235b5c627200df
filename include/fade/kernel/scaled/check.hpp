// What a product with scales of parts refuses before anything is written.
#pragma once
#include <bit>
#include <fade/kernel/gemm/check.hpp>
#include <fade/kernel/scaled/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// The product without its scales.
inline gemm_problem without_scales(const scaled_gemm_problem& p) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .layout = p.layout,
            .lda = p.lda,
            .ldb = p.ldb,
            .ldd = p.ldd,
            .stride_a = 0,
            .stride_b = 0,
            .stride_c = 0,
            .stride_d = 0};
}

/// How the scales of one operand lie.
struct scale_extent {
    index lines, parts, line_stride, k_stride;
    /// Elements from the first to behind the last.
    wide_index span() const {
        return lines == 0 || parts == 0
                   ? wide_index(0)
                   : wide_index(lines - 1) * line_stride + wide_index(parts - 1) * k_stride + 1;
    }
};

inline scale_extent extent_of_scales(index lines, index per_scale, index k, index line_stride,
                                     index k_stride) {
    return {ceil_div(lines, per_scale), ceil_div<index>(k, scale_depth), line_stride, k_stride};
}
inline scale_extent extent_of_scale_a(const scaled_gemm_problem& p) {
    return extent_of_scales(p.m, p.rows_per_scale, p.k, p.scale_a_row, p.scale_a_k);
}
inline scale_extent extent_of_scale_b(const scaled_gemm_problem& p) {
    return extent_of_scales(p.n, p.columns_per_scale, p.k, p.scale_b_column, p.scale_b_k);
}

inline void check_scale_lines(const char* name, index lines) {
    require(
        lines >= 1 && lines <= index(1) << 30 && std::has_single_bit(std::uint64_t(lines)), name, lines,
        "it must be a power of two up to 2^30 (128 shares a scale among 128 lines, 1 gives each its own)");
}
inline void check_scale_stride(const char* name, index stride) {
    require(stride >= 1 && stride < index(1) << 40, name, stride,
            "it must be at least 1 and below 2^40, because each scale has a place of its own");
}

/// Sizes that can be; leading dimensions and strides of scales made explicit. D has n / joined columns.
inline scaled_gemm_problem checked(scaled_gemm_problem p, int joined = 1) {
    const gemm_problem product = checked(without_scales(p), joined);
    p.lda = product.lda, p.ldb = product.ldb, p.ldd = product.ldd;
    check_scale_lines("rows_per_scale", p.rows_per_scale);
    check_scale_lines("columns_per_scale", p.columns_per_scale);
    const index parts = max_of<index>(ceil_div<index>(p.k, scale_depth), 1);
    if (p.scale_a_row == 0) p.scale_a_row = parts;
    if (p.scale_b_column == 0) p.scale_b_column = parts;
    check_scale_stride("scale_a_row", p.scale_a_row), check_scale_stride("scale_a_k", p.scale_a_k);
    check_scale_stride("scale_b_column", p.scale_b_column), check_scale_stride("scale_b_k", p.scale_b_k);
    return p;
}

inline byte_range range_of_scales(const float* scales, const scale_extent& e) {
    return bytes_from(scales, e.span() * int(sizeof(float)));
}

/// Pointers that exist where they are read or written, and a D of n / joined columns that overlaps nothing.
template <class In, class Out>
void check_operands(const scaled_gemm_problem& p, const scaled_gemm_operands<In, Out>& o, int joined = 1) {
    check_operands(without_scales(p), gemm_operands<In, Out>{o.a, o.b, nullptr, o.d}, joined);
    if (p.m == 0 || p.n == 0 || p.k == 0) return;
    if (!o.scale_a) throw error("scale_a", "null", "with m, n and k above 0 it is read");
    if (!o.scale_b) throw error("scale_b", "null", "with m, n and k above 0 it is read");
    const byte_range d = range_of("d", o.d.get(), p.m, p.n / joined, p.ldd, 1, 0);
    const auto apart = [&](const char* name, const byte_range& other) {
        if (d.overlaps(other))
            throw error("d", std::string("overlapping ") + name, "the result may not lie in an operand");
    };
    apart("scale_a", range_of_scales(o.scale_a.get(), extent_of_scale_a(p)));
    apart("scale_b", range_of_scales(o.scale_b.get(), extent_of_scale_b(p)));
}

/// Kernels of GPUs know the scales of a tile by 31-bit byte offsets from the first.
inline void check_scale_reach(const char* name, index lines, index per_scale, index stride) {
    const index groups = ceil_div(lines, per_scale) + 1;
    require(wide_index(groups) * stride * int(sizeof(float)) < wide_index(1) << 31, name, stride,
            "the scales of the " + std::to_string(lines) +
                " lines of a tile must lie within 2 GiB on this device");
}

}  // namespace FADE_NAMESPACE::kernel
