// What a product with quantised weights refuses before anything is written.
#pragma once
#include <bit>
#include <fade/block/weights/source.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <fade/kernel/weights/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// The product whose B, n x k, has become numbers: what the checks of GEMM hold for.
inline gemm_problem as_product(const weight_gemm_problem& p) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .layout = gemm_layout::nt,
            .alpha = p.alpha,
            .beta = p.beta,
            .lda = p.lda,
            .ldc = p.ldc,
            .ldd = p.ldd};
}

/// The format with the problem's group in it, where it leaves that open.
inline weight_format with_group(weight_format f, const weight_gemm_problem& p) {
    if (f.leaves_group()) f.group = int(max_of<index>(p.group, 0));
    return f;
}

/// Is the group one that weights of the format can have?
inline void check_group(const weight_format& format, index group) {
    if (format.leaves_group())
        require(
            group == -1 ||
                (group >= 16 && group <= index(1) << 30 && std::has_single_bit(std::uint64_t(group))),
            "group", group,
            "the weight_format leaves it to the problem: it must be a power of two, at least 16, or -1 for "
            "all of k");
    else
        require(group == 0 || group == (format.group ? format.group : -1), "group", group,
                "the weight_format says it (" + in_words(format) + "): it must be 0, or the same");
}

/// Sizes that can be; leading dimensions made explicit. D has n / joined columns.
inline weight_gemm_problem checked(weight_gemm_problem p, const weight_format& of, int joined = 1) {
    const gemm_problem product = checked(as_product(p), joined);
    p.lda = product.lda, p.ldc = product.ldc, p.ldd = product.ldd;
    check_group(of, p.group);
    const weight_format format = with_group(of, p);
    require(p.k % format.granule() == 0, "k", p.k,
            "weights of this format (" + in_words(format) + ") come in " + std::to_string(format.granule()) +
                " k at once, so it must be a multiple of that");
    require(format.order == weight_order::rows || p.n % 8 == 0, "n", p.n,
            std::string("the order ") + fade::name(format.order) +
                " has columns of 8 at once, so it must be a multiple of that");
    require(p.lda % 8 == 0 || p.m <= 1, "lda", p.lda,
            "A is read in aligned runs of 16 bytes, so it must be a multiple of 8");
    return p;
}

inline block::weight_memory memory_of(const weight_gemm_problem& p, const void* words, const void* scales,
                                      const void* zeros) {
    block::weight_memory out{static_cast<const std::byte*>(words), static_cast<const std::byte*>(scales),
                             static_cast<const std::byte*>(zeros), p.n, p.k};
    if (p.group > 0) out.groups = int(p.k / p.group), out.shift = std::countr_zero(std::uint64_t(p.group));
    return out;
}

inline void check_aligned(const char* name, const void* at) {
    if (!at) throw error(name, "null", "with m, n and k above 0 it is read");
    require(reinterpret_cast<std::uintptr_t>(at) % 16 == 0, name,
            index(reinterpret_cast<std::uintptr_t>(at) % 16),
            "it is read in aligned runs of 16 bytes, and its address lies that many bytes behind one");
}

/// How many bytes W's parts have.
struct weight_extent {
    index words, scales, zeros;
};
template <weight_format Format>
weight_extent extent_of(const block::weight_memory& w) {
    return {block::bytes_of_words<Format>(w), block::bytes_of_scales<Format>(w),
            block::bytes_of_zeros<Format>(w)};
}

/// Zero points are given where the format has them, or not at all.
inline void check_zeros(const weight_format& format, const void* zeros) {
    if (format.zero == weight_zero::none && zeros)
        throw error("zeros", "given", "the weight_format has none (" + in_words(format) + "), so it is null");
}

/// A and W, which are read, exist in aligned runs, and D is apart from them.
inline void check_read(const weight_format& format, const byte_range& d, const byte_range& all_of_a,
                       const void* a, const block::weight_memory& w, const weight_extent& bytes) {
    const auto check = [&](const char* name, const void* at, const byte_range& other) {
        check_aligned(name, at);
        if (d.overlaps(other))
            throw error("d", std::string("overlapping ") + name, "the result may not lie in an operand");
    };
    check("a", a, all_of_a);
    check("weights", w.words, bytes_from(w.words, bytes.words));
    check("scales", w.scales, bytes_from(w.scales, bytes.scales));
    if (format.zero != weight_zero::none) check("zeros", w.zeros, bytes_from(w.zeros, bytes.zeros));
}

/// Pointers that exist where they are read or written, and a D of n / joined columns that overlaps nothing
/// but C.
template <class In, class Out>
void check_operands(const weight_gemm_problem& p, const weight_format& format,
                    const gemm_operands<In, Out>& o, const block::weight_memory& w,
                    const weight_extent& bytes, int joined) {
    if (p.m == 0 || p.n == 0) return;
    check_zeros(format, w.zeros);
    gemm_problem without_product = as_product(p);
    without_product.k = 0;
    without_product = checked(without_product, joined);
    check_operands(without_product, gemm_operands<In, Out>{nullptr, nullptr, o.c, o.d}, joined);
    if (p.k == 0 || p.alpha == 0) return;
    check_read(format, range_of("d", o.d.get(), p.m, p.n / joined, p.ldd, 1, 0),
               range_of("a", o.a.get(), p.m, p.k, p.lda, 1, 0), o.a.get(), w, bytes);
}
template <weight_format Format, class In, class Out>
void check_operands(const weight_gemm_problem& p, const weight_gemm_operands<Format, In, Out>& o,
                    int joined = 1) {
    const block::weight_memory w = memory_of(p, o.weights, o.scales.get(), o.zeros);
    check_operands(p, Format, gemm_operands<In, Out>{o.a, nullptr, o.c, o.d}, w, extent_of<Format>(w),
                   joined);
}

/// Kernels of GPUs know what a tile reads by 31-bit byte offsets.
template <weight_format Format, class In, class Out>
void check_weight_reach(const weight_gemm_problem& p, const tile_shape& tile, int joined) {
    gemm_problem product = checked(as_product(p), joined);
    product.ldb = 0;
    check_reach<In, Out>(product, tile);
    const block::weight_memory w = memory_of(p, nullptr, nullptr, nullptr);
    const index lines = Format.order == weight_order::rows ? min_of<index>(p.n, tile.n) : tile.k;
    require(wide_index(lines) * block::weight_pitch<Format>(w) < wide_index(1) << 31, "k", p.k,
            "the weights that a tile touches must lie within 2 GiB on this device");
    require(wide_index(block::bytes_of_scales<Format>(w)) < wide_index(1) << 31, "n x k", p.n,
            "scales must lie within 2 GiB on this device");
}

}  // namespace FADE_NAMESPACE::kernel
