// Which algorithm a convolution gets, and what the direct one can compute.
#pragma once
#include <fade/core/error.hpp>
#include <fade/kernel/conv/beside.hpp>
#include <fade/kernel/conv/direct_arguments.hpp>
#include <fade/kernel/conv/mec.hpp>
#include <fade/tune/conv/fft.hpp>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE::tune {

/// Types whose products the direct algorithm sums.
template <class In>
inline constexpr bool direct_element =
    std::is_same_v<In, f64> || std::is_same_v<In, f32> || std::is_same_v<In, f16> || std::is_same_v<In, bf16>;

/// Types whose products Winograd's minimal filtering, and fft, sum in f32.
template <class In>
inline constexpr bool transformed_element = direct_element<In> && !std::is_same_v<In, f64>;

/// What decides on the algorithm of a pass.
struct algorithm_request {
    conv_pass pass;
    kernel::conv_sizes sizes;
    int in_bytes, out_bytes;  ///< of an element
    bool floating;            ///< direct_element<In>
    bool gathers = false;     ///< implicit_gemm copies windows, as it does on the host
    bool asked = false;  ///< for an algorithm: in backward data dy meets no zeros that the filter has not
};

/// Why the direct algorithm cannot compute this; empty where it can.
inline std::string direct_obstacle(const algorithm_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    if (s.channels != 1)
        return "it takes groups of 1 channel (as many groups as channels), and these have " +
               std::to_string(s.channels);
    if (!r.floating) return "it takes f64, f32, f16 and bf16";
    constexpr wide_index limit = wide_index(1) << 31;
    const auto too_large = [&](const spatial& size, index channels, int bytes) {
        return wide_index(size.volume()) * channels * bytes >= limit;
    };
    const int largest = max_of(r.in_bytes, r.out_bytes);
    if (too_large(kernel::input_size_of(s), s.x_pixel(), largest) ||
        too_large(kernel::output_size_of(s), s.y_pixel(), largest))
        return "it takes images below 2 GiB";
    if (wide_index(s.taps()) * s.y_pixel() * r.in_bytes >= limit)
        return "it takes filters below 2 GiB in all";
    const wide_index items = wide_index(max_of(kernel::input_size_of(s).volume() * s.x_pixel(),
                                               kernel::output_size_of(s).volume() * s.y_pixel()));
    if ((items / kernel::direct_items + 1) * s.batch >= limit)
        return "it takes at most 2^31 workgroups of " + std::to_string(kernel::direct_items) + " items";
    if (r.pass == conv_pass::backward_data && s.residues() > 65535)
        return "it takes strides whose product is at most 65535";
    return "";
}

/// Why im2col cannot compute this; empty where it can.
inline std::string im2col_obstacle(const algorithm_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    if (!r.floating) return "it takes f64, f32, f16 and bf16";
    if (s.batch == 0 || s.channels == 0 || s.filters == 0)
        return "it takes sums of at least one product, so images, channels and filters must be some";
    const wide_index windows = wide_index(kernel::output_size_of(s).volume()) * s.groups;
    if (windows * s.filter_row() >= wide_index(1) << 31)
        return "it takes images whose windows have fewer than 2^31 elements";
    return "";
}

/// Why Winograd's minimal filtering cannot compute this; empty where it can.
inline std::string winograd_obstacle(const algorithm_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    const auto has = [&](auto test) { return test(s.h) && test(s.w); };
    if (!r.floating || r.in_bytes > 4) return "it takes f32, f16 and bf16, and sums them in f32";
    if (s.d.input != 1 || s.d.output != 1 || s.d.filter != 1 || s.d.pad != 0)
        return "it takes images of at most two dimensions";
    if (!has([](const block::axis_sizes& a) { return a.filter == 3; }))
        return "it takes filters of 3 x 3 taps";
    if (!has([](const block::axis_sizes& a) { return a.stride == 1 && a.dilation == 1; }))
        return "it takes strides and dilations of 1";
    if (s.batch == 0 || s.channels == 0 || s.filters == 0)
        return "it takes sums of at least one product, so images, channels and filters must be some";
    return "";
}

/// Why mec cannot compute this; empty where it can.
inline std::string mec_obstacle(const algorithm_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    constexpr wide_index limit = wide_index(1) << 31;
    if (r.pass == conv_pass::backward_data) return "it has forward and backward weights alone";
    if (s.groups > 1) return "it takes one group";
    if (s.w.dilation > 1 && s.w.filter > 1)
        return "it takes filters whose taps along w are neighbours, so dilation.w must be 1";
    if (s.batch == 0 || s.channels == 0 || s.filters == 0)
        return "it takes sums of at least one product, so images, channels and filters must be some";
    if (s.filter_row() >= limit / 2) return "it takes filters of fewer than 2^30 elements each";
    const kernel::mec_shape shape = kernel::mec_shape_of(s, r.in_bytes);
    if (wide_index(shape.lines) * shape.columns * shape.column * r.in_bytes >= 16 * limit)
        return "it takes lines of fewer than 2^31 runs of 16 bytes";
    if (wide_index(s.filters) * shape.row() >= limit) return "it takes filters of fewer than 2^31 elements";
    return "";
}

/// Lines of windows that automatic lays out are at most so large.
inline constexpr index largest_mec_lines = index(1) << 30;

/// Does it suit a convolution? Elsewhere, channels are read in runs, or the host gathers them.
inline bool suits_mec(const algorithm_request& r) {
    const kernel::conv_sizes& s = r.sizes;
    const auto whole = [&](int channels) { return channels * index(r.in_bytes) % 16 == 0; };
    if (r.gathers || whole(s.channels) || !mec_obstacle(r).empty()) return false;
    if (r.pass == conv_pass::backward_weights && !whole(s.filters)) return false;
    return kernel::mec_shape_of(s, r.in_bytes).elements() * r.in_bytes <= largest_mec_lines;
}

/// Do copies with zeros behind the channels, or filters, of each group let an implicit product read runs?
inline bool suits_padding(const algorithm_request& r, int split_k) {
    const kernel::conv_sizes& s = r.sizes;
    const bool forward = r.pass == conv_pass::forward, weights = r.pass == conv_pass::backward_weights;
    const auto whole = [&](int channels) { return channels * index(r.in_bytes) % 16 == 0; };
    if (r.gathers || s.batch == 0 || s.channels == 0 || s.filters == 0) return false;
    if (whole(s.channels) && (forward || whole(s.filters))) return false;
    if (weights && split_k == 1) return false;  // dw is finished from sums
    const auto fits = [&](wide_index rows, int channels) {
        return rows * kernel::padded_column(channels, r.in_bytes) * r.in_bytes <=
               wide_index(largest_mec_lines);
    };
    const auto pixels = [&](int block::axis_sizes::* size) {
        return wide_index(s.batch) * s.groups * (s.d.*size) * (s.h.*size) * (s.w.*size);
    };
    const wide_index taps = wide_index(kernel::padded_column(s.filters, r.in_bytes)) * s.groups * s.taps();
    const bool x_fits = (!forward && !weights) || whole(s.channels) ||
                        fits(pixels(&block::axis_sizes::input), s.channels),
               dy_fits = forward || whole(s.filters) || fits(pixels(&block::axis_sizes::output), s.filters);
    return x_fits && dy_fits && fits(taps, s.channels);
}

/// Do x's pixels that the same windows of dy reach fit beside each other in a tile's columns, where each part
/// of them alone would leave most of it empty? What products spare must outweigh that sums are written and
/// read once more: of a 3x3 filter with strides of 2 and 64 filters, 3 or 4 channels gained on an H200, and 8
/// lost. Sums take no more room than lines of mec.
inline bool suits_beside(const algorithm_request& r, int split_k) {
    constexpr int columns = 64, least_sum = 256;
    const kernel::conv_sizes& s = r.sizes;
    if (r.pass != conv_pass::backward_data || r.asked || s.groups != 1 || s.batch == 0 || s.channels == 0 ||
        split_k == 1 || s.filters == 0 || s.filters * index(r.in_bytes) % 16 != 0 || s.residues() < 2 ||
        wide_index(s.residues()) * s.channels > columns)
        return false;
    const kernel::beside_shape shape = kernel::beside_shape_of(s, r.in_bytes);
    const wide_index room = wide_index(s.batch) * shape.places() * shape.columns * 8;
    return shape.columns <= columns && shape.taps() * s.filters >= least_sum &&
           (s.taps() - shape.taps()) * s.filters >= 16 * shape.columns &&
           room <= wide_index(largest_mec_lines);
}

/// Of an algorithm that is asked for.
inline std::string obstacle_of(conv_algorithm asked, const algorithm_request& r) {
    using enum conv_algorithm;
    if (is_winograd(asked)) return winograd_obstacle(r);
    if (asked == mec) return mec_obstacle(r);
    if (asked == fft) return fft_obstacle(r.sizes, r.floating && r.in_bytes <= 4);
    return asked == im2col ? im2col_obstacle(r) : direct_obstacle(r);
}

struct algorithm_choice {
    conv_algorithm algorithm;
    std::string why;  ///< empty where it was asked for, or where there is no other
};

inline error refused(conv_algorithm asked, const std::string& obstacle) {
    return error("algorithm", name(asked),
                 obstacle + "; implicit_gemm, and automatic, take this convolution");
}

/// Throws fade::error where the algorithm that is asked for cannot compute it.
inline algorithm_choice select_algorithm(conv_algorithm asked, const algorithm_request& r) {
    using enum conv_algorithm;
    constexpr int max_filters = 8;
    if (asked == implicit_gemm) return {implicit_gemm, ""};
    const std::string obstacle = obstacle_of(asked, r);
    if (asked != automatic) {
        if (!obstacle.empty()) throw refused(asked, obstacle);
        return {asked, ""};
    }
    const kernel::conv_sizes& s = r.sizes;
    const bool depthwise = s.channels == 1 && s.groups > 1;
    if (suits_mec(r))
        return {mec, std::to_string(s.channels) + " channels are no whole number of 16-byte runs"};
    if (!depthwise) return {implicit_gemm, ""};
    if (!obstacle.empty()) return {implicit_gemm, "direct does not take it: " + obstacle};
    if (s.filters > max_filters)
        return {implicit_gemm,
                "a group's " + std::to_string(s.filters) + " filters fill the columns of a tile"};
    return {direct, "depthwise: a product of matrices would have " + std::to_string(s.filters) +
                        (s.filters == 1 ? " column" : " columns") + " a group"};
}

/// How many workgroups share the pixels of y, whose lines have so many segments, where `items` sum the taps.
inline int direct_parts(index items, index segments, int asked, int compute_units) {
    constexpr index workgroups_of_unit = 4;
    const index share = ceil_div<index>(items, kernel::direct_items);
    const index wanted = asked > 0 ? asked : ceil_div<index>(compute_units * workgroups_of_unit, share);
    return int(max_of<index>(min_of<index>(min_of<index>(wanted, segments), 4096), 1));
}

}  // namespace FADE_NAMESPACE::tune
