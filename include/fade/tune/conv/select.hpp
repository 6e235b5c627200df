// Which kernel a convolution gets, and why.
#pragma once
#include <cstdint>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <fade/tune/conv/entry.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// A convolution as the selector sees it: sizes, and the two tensors that are read.
struct conv_request {
    conv_pass pass;
    kernel::conv_sizes sizes;
    const void *a, *b;
    int bytes;  ///< of an element
};

/// The product of matrices that a pass is, of one group a batch. Its k counts no padding of channels.
inline gemm_problem product_of(const conv_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    const auto pixels = [&](int block::axis_sizes::* size) {
        return index(s.batch) * (s.d.*size) * (s.h.*size) * (s.w.*size);
    };
    gemm_problem out{.m = pixels(&block::axis_sizes::output),
                     .n = s.filters,
                     .k = s.filter_row(),
                     .layout = gemm_layout::nt,
                     .batch = s.groups};
    if (r.pass == conv_pass::backward_data)
        out.m = ceil_div<index>(pixels(&block::axis_sizes::input), s.residues()), out.n = s.channels,
        out.k = index(s.taps()) * s.filters / s.residues(), out.layout = gemm_layout::nn;
    if (r.pass == conv_pass::backward_weights)
        out.k = out.m, out.m = s.filters, out.n = s.filter_row(), out.layout = gemm_layout::tn;
    return out;
}

/// Why 16-byte reads are impossible; empty where they are possible.
inline std::string conv_obstacle(const conv_request& r) {
    const auto whole = [&](index elements) { return elements * r.bytes % 16 == 0; };
    const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
    if (!whole(r.sizes.channels)) return "channels of a group are no whole number of 16-byte runs";
    if (r.pass != conv_pass::forward && !whole(r.sizes.filters))
        return "filters of a group are no whole number of 16-byte runs";
    if (!aligned(r.a) || !aligned(r.b)) return "operands do not begin at a multiple of 16 bytes";
    return "";
}

/// The farthest that two rows of a tile of windows may lie apart, in pixels of the image: by images, or by
/// the planes and lines that so many rows touch.
inline index window_reach(const block::window_view& v, int batch, int rows) {
    const auto touched = [](index count, index of) {
        return ceil_div<index>(count, max_of<index>(of, 1)) + 1;
    };
    const index lines = touched(rows, v.w.grid), planes = touched(lines, v.h.grid),
                images = min_of<index>(touched(planes, v.d.grid), batch);
    const index plane = index(v.h.image) * v.w.image;
    const auto behind = [](const block::axis& a) { return max_of(a.image - (a.grid - 1) * a.step, 1); };
    const index by_lines = lines * v.h.step * v.w.image + planes * v.d.step * plane +
                           images * (behind(v.d) * plane + index(behind(v.h)) * v.w.image);
    return min_of(images * v.pixels_of_image(), by_lines) + v.overhang() + v.w.image;
}

/// Can the kernels of GPUs address a tile's windows by 31-bit byte offsets?
inline bool reaches(const conv_request& r, const gemm_policy& policy) {
    const auto within = [&](const block::window_view& v) {
        const index tap = index(v.d.taps) * v.d.tap_step * v.h.image * v.w.image;
        const index far = max_of(window_reach(v, r.sizes.batch, policy.block_tile.m), tap < 0 ? -tap : tap);
        return wide_index(far) * v.pixel * r.bytes < wide_index(1) << 31;
    };
    if (wide_index(r.sizes.filters) * r.sizes.filter_row() * r.bytes >= wide_index(1) << 31) return false;
    if (r.pass == conv_pass::forward) return within(kernel::forward_view(r.sizes));
    return within(kernel::backward_view(r.sizes, 0));
}

struct conv_choice {
    conv_kernel kernel;
    size_class size = size_class::small;
    std::string why;
    bool fallback = false;
    int parts = 0;  ///< of k; 0: as many as idle compute units call for
};

/// How the kernel of a policy reads the channels of a tap.
inline kernel::channel_access run_access(const conv_request& r, const gemm_policy& policy) {
    const int channels = r.pass == conv_pass::backward_data ? r.sizes.filters : r.sizes.channels;
    return channels % policy.block_tile.k == 0 ? kernel::channel_access::chunks
                                               : kernel::channel_access::runs;
}

/// Why a tile's pixels cannot be found by a table; empty where they can.
inline std::string table_obstacle(const conv_request& r, const block::pixel_table_shape& table) {
    const kernel::conv_sizes& s = r.sizes;
    const block::window_view v = kernel::forward_view(s);
    // Beside the windows' first taps: the other taps, and the room before a line.
    const auto way = [](const block::axis& a) { return (a.taps - 1) * index(a.tap_step); };
    const wide_index further = (wide_index(way(v.d)) * v.h.image + way(v.h)) * v.w.image + way(v.w) +
                               v.overhang() + index(v.w.grid) * v.w.step;
    if ((window_reach(v, s.batch, table.words()) + further) * v.pixel * r.bytes >= wide_index(1) << 31)
        return "the pixels of a table lie more than 2 GiB apart";
    return "";
}

/// Can the lanes of a wave tell each other where pixels lie, for the one tap of the wave's columns?
template <class Arch, class In>
constexpr bool found_by_lanes(int channels) {
    if constexpr (weights_by_lanes<Arch, In>)
        return channels % walk_columns<Arch, In>() == 0;
    else
        return false;
}

/// The filter's gradient.
template <class Arch, class In>
conv_choice select_weights(const conv_request& r) {
    using enum kernel::channel_access;
    conv_choice out;
    out.kernel = {.pass = conv_pass::backward_weights};
    std::string obstacle = conv_obstacle(r);
    if (obstacle.empty()) {
        constexpr gemm_policy policy = weights_policy<Arch, In>(runs);
        obstacle = table_obstacle(r, block::pixel_table_shape::of<In>(policy.block_tile));
    }
    if (!obstacle.empty()) {
        out.kernel.access = elements, out.fallback = true;
        out.why = obstacle + ", so elements are read one by one";
        return out;
    }
    const bool by_lanes = found_by_lanes<Arch, In>(r.sizes.channels);
    out.kernel.access = by_lanes ? chunks : runs;
    const gemm_problem product = product_of(r);
    out.why = "implicit product of " + std::to_string(product.m) + " x " + std::to_string(product.n) + " x " +
              std::to_string(product.k) + "; operands are read in 16-byte runs, and pixels are found by " +
              (by_lanes ? "walking" : "a table");
    return out;
}

/// Do so many elements of large tiles lie beyond the result that small ones are faster? Of 1,000 random
/// shapes 156 runs on an H200, of groups of few filters, took up to 2.6 times as long by large ones.
inline bool wastes_large_tiles(const gemm_row& row, const gemm_problem& p) {
    const auto whole = [&](const gemm_policy& policy) {
        return tiles_of(policy, p) * policy.block_tile.m * policy.block_tile.n;
    };
    return 2 * whole(row.large) > 3 * whole(row.small);
}

/// Forward and backward data; `narrow` are tiles of few columns, or none.
template <class Arch>
conv_choice select_conv(const gemm_row& row, const gemm_policy& narrow, const conv_request& r,
                        int compute_units) {
    conv_choice out;
    out.kernel = {r.pass, r.pass == conv_pass::backward_data && r.sizes.residues() > 1};
    const std::string obstacle = conv_obstacle(r);
    const gemm_problem product = product_of(r);
    const index tiles = tiles_of(row.large, product) * (out.kernel.strided ? r.sizes.residues() : 1);
    const bool wastes = wastes_large_tiles(row, product);
    const bool large = obstacle.empty() && enough(tiles, compute_units) && !wastes && reaches(r, row.large);
    out.size = large ? size_class::large : size_class::small;
    if (!reaches(r, row.of(out.size)))
        throw error("input", std::to_string(r.sizes.h.input) + " x " + std::to_string(r.sizes.w.input),
                    "the windows of " + std::to_string(row.small.block_tile.m) +
                        " pixels lie more than 2 GiB apart, which kernels of GPUs cannot address: split the "
                        "batch or the image");
    const kernel::conv_sizes& s = r.sizes;
    require(s.d.filter + s.h.filter + s.w.filter <= 31, "filter", s.d.filter + s.h.filter + s.w.filter,
            "on GPUs the taps along d, h and w together are at most 31");
    if (!obstacle.empty()) {
        out.kernel.access = kernel::channel_access::elements, out.fallback = true;
        out.why = obstacle + ", so elements are read one by one";
        return out;
    }
    out.kernel.access = run_access(r, row.of(out.size));
    out.why = "implicit product of " + std::to_string(product.m) + " x " + std::to_string(product.n) + " x " +
              std::to_string(product.k) + "; operands are read in 16-byte runs; " +
              occupancy_words(tiles, 1, compute_units);
    if (wastes) out.why += ", but more than a third of them would lie beyond the result";
    // On Hopper two small workgroups share a multiprocessor, and narrow tiles have twice their rows.
    const bool fills =
        narrow.pipeline != block::pipeline_kind::async_ring ||
        tiles_of(narrow, product) * (out.kernel.strided ? r.sizes.residues() : 1) >= compute_units;
    if (narrow_reads(narrow, out.kernel.access) && product.n <= narrow_columns && !large && fills &&
        reaches(r, narrow)) {
        out.size = size_class::narrow;
        out.why +=
            wastes ? ", so few columns have tiles of their own" : "; few columns have tiles of their own";
    }
    return out;
}

}  // namespace FADE_NAMESPACE::tune
