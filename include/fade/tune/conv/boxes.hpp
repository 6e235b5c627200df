// Which convolutions the copy unit brings the operands of, and in which tiles.
#pragma once
#include <fade/kernel/conv/boxes.hpp>
#include <fade/tune/conv/select.hpp>

namespace FADE_NAMESPACE::tune {

/// Has a pass kernels by boxes of this type? The matrix unit reads 8-bit operands along k alone, as they lie
/// in forward passes.
template <class In, conv_pass Pass>
inline constexpr bool comes_in_boxes = sizeof(In) == 2 || (sizeof(In) == 1 && Pass == conv_pass::forward);
template <class Arch, class In, conv_pass Pass>
inline constexpr bool convolves_by_boxes = Arch::traits.tensor_maps && comes_in_boxes<In, Pass>;

/// Corners, strides and taps of a map of windows have few bits: CUDA driver API, cuTensorMapEncodeIm2col, and
/// PTX ISA, "Tensor im2col mode".
constexpr bool fits_map(const block::axis& a) {
    const im2col_axis map = kernel::im2col_axis_of(a);
    const auto corner = [](int at) { return at >= -128 && at <= 127; };
    return map.step <= 8 && corner(map.first) && corner(map.last()) &&
           (a.tap_step < 0 ? -a.tap_step : a.tap_step) * a.taps <= 255;
}

constexpr bool fits_map(const block::window_view& v) { return fits_map(v.h) && fits_map(v.w); }

inline constexpr auto beyond_maps = "strides, margins or taps reach beyond maps of windows";

/// Of backward data: each part of x's pixels that see the same taps has a map, unless it sees none.
inline std::string parts_obstacle(const kernel::conv_sizes& s) {
    if (s.residues() > kernel::most_parts)
        return "pixels of x see taps in more than " + std::to_string(kernel::most_parts) + " ways";
    for (int residue = 0; residue < s.residues(); ++residue) {
        const block::window_view view = kernel::backward_view(s, residue);
        if (view.taps().volume() > 0 && view.rows_of_image() > 0 && !fits_map(view)) return beyond_maps;
    }
    return "";
}

/// Why the copy unit cannot bring a pass's operands; empty where it can.
inline std::string boxes_obstacle(const conv_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    const bool weights = r.pass == conv_pass::backward_weights;
    if (const std::string obstacle = conv_obstacle(r); !obstacle.empty()) return obstacle;
    if (s.groups > 1) return "there are groups";
    if (s.d.input > 1 || s.d.output > 1 || s.d.filter > 1 || s.d.pad != 0)
        return "there are three dimensions";
    if (weights && s.channels % tile_source::box_columns != 0 && s.taps() > 1)
        return "channels are no multiple of " + std::to_string(tile_source::box_columns);
    if (s.batch == 0 || s.h.output * s.w.output == 0 || s.h.input * s.w.input == 0)
        return "images have no pixels";
    if (r.pass == conv_pass::backward_data) return parts_obstacle(s);
    return fits_map(kernel::forward_view(s)) ? "" : beyond_maps;
}

/// The sizes of tiles that such kernels have.
inline constexpr size_class sizes_of_boxes[] = {size_class::large,  size_class::small, size_class::narrow,
                                                size_class::medium, size_class::wide,  size_class::clustered,
                                                size_class::flat};

/// Of strided backward data medium ones would spill, and wide ones are of windows. Clustered ones, beside
/// those of the same sizes, are of backward weights. Of 8-bit floats, whose sums are kept twice, large ones
/// are as medium ones of others, and wide ones would spill.
template <class In>
constexpr bool has_size(size_class size, const conv_kernel& kernel) {
    const bool weights = kernel.pass == conv_pass::backward_weights;
    if (size == size_class::clustered || size == size_class::flat) return weights;
    if (is_float8<In> && (size == size_class::medium || size == size_class::wide)) return false;
    return (size != size_class::medium && size != size_class::wide) || !kernel.strided;
}

/// Tiles as those of matrices, and others: narrow ones where filters are few (filters are columns, or of
/// backward weights rows); wide ones, of 320 columns, which 320 filters fill, where 384 columns of others
/// would hold them, or in backward weights of 192, of which 9 taps of 64 channels are three. Columns of the
/// filter come in boxes of 64 in backward data, and 5 of those are no two equal parts, as a cluster would
/// bring them. Clusters of backward weights bring windows of one pixel for each other; on an H200 others
/// gained nothing from it. Its medium and flat tiles, of 64 filters, have steps of 128 pixels: what a step
/// takes beside its products weighs more than those of 64.
template <class Arch, class In>
constexpr gemm_policy boxes_policy(size_class size, const conv_kernel& kernel) {
    const bool weights = kernel.pass == conv_pass::backward_weights;
    const bool as_large = size != size_class::small && size != size_class::narrow;
    gemm_policy out =
        policy_for(gemm_rows<Arch, In>::row, as_large ? size_class::large : size, kernel.layout());
    if (weights) out.cluster = 1;
    const auto with_tile = [&](int m, int n) {
        out.block_tile.m = m, out.block_tile.n = out.wave_tile.n = n;
        return out;
    };
    if (size == size_class::narrow) return weights ? with_tile(64, 192) : with_tile(256, 64);
    if (size == size_class::medium && !weights) return with_tile(192, 128);
    if (size == size_class::clustered) return out.cluster = 2, with_tile(128, 128);
    if (size == size_class::medium || size == size_class::flat) {
        out.block_tile.k *= 2;
        return with_tile(64, size == size_class::flat ? 64 : 128);
    }
    if (size == size_class::wide) {
        if (kernel.pass == conv_pass::backward_data) out.cluster = 1;
        return weights ? with_tile(128, 192) : with_tile(128, 320);
    }
    return out;
}

/// What such kernels take beside a product's steps, and what tiles of a size reach of the best rate, in
/// percent. bench/experiments.md has the times of an H200 that these were fitted to.
struct box_costs {
    int large, small, narrow, medium, wide, clustered, flat;
    int beside;       ///< steps of a tile's beginning and end
    int sums_apart;   ///< sums that are written and read again in the time of a multiply-add of each
    int launch = 0;   ///< of sums, in thousands of multiply-adds
    int reading = 0;  ///< of a row's or a column's step from memory, in tenths of a multiply-add
    int depth = 64;   ///< k of a step; a tile's own may be deeper
    constexpr int percent(size_class size) const {
        switch (size) {
        case size_class::small:
            return small;
        case size_class::narrow:
            return narrow;
        case size_class::medium:
            return medium;
        case size_class::wide:
            return wide;
        case size_class::clustered:
            return clustered;
        case size_class::flat:
            return flat;
        default:
            return large;
        }
    }
};
/// `plain`: each window is one pixel, its own.
constexpr box_costs costs_of_boxes(conv_pass pass, bool plain) {
    if (pass != conv_pass::backward_weights) return {100, 75, 60, 80, 95, 0, 0, 1, 2};
    return plain ? box_costs{53, 95, 84, 74, 92, 100, 64, 5, 25, 100, 16}
                 : box_costs{100, 88, 63, 54, 97, 70, 30, 7, 25, 100};
}

/// What a pass takes by a policy, in multiply-adds of a compute unit at its best: rounds of tiles, or what is
/// read meanwhile, more where a workgroup of a cluster has no rows; and sums of parts, each of which is
/// written and read again.
inline wide_index cost_of(const gemm_policy& policy, const gemm_problem& product, int residues, int parts,
                          int compute_units, const box_costs& costs, int percent) {
    const index rows = ceil_div<index>(product.m, policy.block_tile.m),
                rows_of_clusters = ceil_div<index>(rows, policy.cluster) * policy.cluster,
                tiles = rows_of_clusters * ceil_div<index>(product.n, policy.block_tile.n) * parts,
                rounds = ceil_div<index>(tiles * residues, compute_units),
                deeper = policy.block_tile.k / costs.depth,
                steps = ceil_div<index>(product.k, policy.block_tile.k);
    const wide_index of_step = wide_index(policy.block_tile.m) * policy.block_tile.n * 100 / percent,
                     reading = steps * deeper * (product.m + product.n) * wide_index(costs.reading) *
                               rows_of_clusters / max_of<index>(rows, 1) / 10,
                     sums = wide_index(product.m) * product.n * parts / costs.sums_apart;
    return max_of(rounds * ceil_div<index>(steps, parts) * deeper * of_step, reading) +
           rounds * costs.beside * of_step + (parts > 1 ? costs.launch * wide_index(1000) + sums : 0);
}

/// In halves: how often parts of k fill the compute units of a launch. Tiles that fill them badly once may
/// fill them well in several rounds of shorter parts, and half of the units read memory as fast as all.
inline constexpr int halves_of_rounds[] = {2, 1, 4, 6, 8};

template <class In>
constexpr const char* evidence_of_boxes() {
    return sizeof(In) == 2 ? "measured beside cuDNN on an H200 (docs/performance.md)"
                           : "measured beside f16 on an H200 (docs/performance.md)";
}

/// The tiles that cost least.
template <class Arch, class In>
conv_choice select_boxes(const conv_request& r, int split_k, int compute_units) {
    const gemm_problem product = product_of(r);
    conv_choice out;
    out.kernel = {.pass = r.pass,
                  .strided = r.pass == conv_pass::backward_data && r.sizes.residues() > 1,
                  .access = kernel::channel_access::boxes};
    const int residues = out.kernel.strided ? int(r.sizes.residues()) : 1;
    box_costs costs = costs_of_boxes(r.pass, kernel::forward_view(r.sizes).is_plain());
    costs.depth = boxes_policy<Arch, In>(size_class::large, out.kernel).block_tile.k;
    const int units = max_of(compute_units, 1);
    const bool shares = r.pass == conv_pass::backward_weights && split_k == 0;
    wide_index lowest = 0;
    for (const size_class size : sizes_of_boxes) {
        if (!has_size<In>(size, out.kernel)) continue;
        const gemm_policy policy = boxes_policy<Arch, In>(size, out.kernel);
        for (const int halves : halves_of_rounds) {
            if (halves != 2 && !shares) continue;
            const int parts = residues > 1 ? 1 : splits_for(policy, product, split_k, halves * units / 2);
            const wide_index cost =
                cost_of(policy, product, residues, parts, units, costs, costs.percent(size));
            if (lowest == 0 || cost < lowest) lowest = cost, out.size = size, out.parts = shares ? parts : 0;
        }
    }
    const gemm_policy policy = boxes_policy<Arch, In>(out.size, out.kernel);
    const index count = tiles_of(policy, product) * residues;
    out.why = "implicit product of " + std::to_string(product.m) + " x " + std::to_string(product.n) + " x " +
              std::to_string(product.k) + ", whose windows the copy unit walks over; " +
              std::to_string(count) + " " + name(out.size) + (count == 1 ? " tile" : " tiles") + " on " +
              std::to_string(compute_units) + " compute units cost less than those of other sizes";
    return out;
}

/// The kernel of a pass whose operands the copy unit brings.
template <class In, class Out, conv_kernel Kernel, size_class Size, class Epilogue>
struct tma_conv_entry {
    using arguments = std::conditional_t<Kernel.strided, kernel::tma_parts_arguments<In, Out, Epilogue>,
                                         kernel::tma_conv_arguments<In, Out, Epilogue>>;
    template <class Arch>
    static constexpr gemm_policy policy = boxes_policy<Arch, In>(Size, Kernel);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (convolves_by_boxes<Arch, In, Kernel.pass>)
            return shape_by_boxes<Arch, In, policy<Arch>, access_of(Kernel.layout())>();
        else
            return {.waves = 1, .shared_bytes = 16};  // another entry is launched
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (convolves_by_boxes<arch, In, Kernel.pass>)
            kernel::conv_by_boxes<policy<arch>, access_of(Kernel.layout()), Kernel.pass>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune
