// How large the tiles of a convolution by Fourier transforms are, and what it takes.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// Pixels of a transformed tile.
struct fft_sizes {
    int d, h, w;
    int complex_values() const { return d * h * (w / 2 + 1); }
    /// Three real ones for each complex one.
    int products() const { return 3 * complex_values(); }
};

/// A tile is at most so long, and so deep: more planes of so many lines would be spectra of gigabytes.
inline constexpr int largest_fft = 64, planes_of_fft = 16;

/// Pixels that a filter reaches over.
inline int reach_of(const block::axis_sizes& s) { return (s.filter - 1) * s.dilation + 1; }

/// Does the dimension have one line alone?
inline bool is_one_line(const block::axis_sizes& s) {
    return s.input == 1 && s.output == 1 && s.filter == 1 && s.pad == 0;
}

/// Pixels that a pass makes along a dimension, or, in backward weights, reads of dy.
inline int made_along(conv_pass pass, const block::axis_sizes& s) {
    return pass == conv_pass::backward_data ? s.input : s.output;
}

inline index fft_tiles(conv_pass pass, const block::axis_sizes& s, int size) {
    return ceil_div(made_along(pass, s), size - reach_of(s) + 1);
}

/// What tiles of a size cost, in additions of a product: the products, and the transforms of what is read and
/// made. A complex value of a spectrum costs as much as some products to make.
inline double fft_cost(conv_pass pass, const kernel::conv_sizes& s, const fft_sizes& size) {
    constexpr double of_value = 40;
    const double tiles = double(fft_tiles(pass, s.d, size.d)) * double(fft_tiles(pass, s.h, size.h)) *
                         double(fft_tiles(pass, s.w, size.w)) * s.batch,
                 pairs = double(s.groups) * s.channels * s.filters,
                 spectra = tiles * double(s.groups) * (s.channels + s.filters) + pairs;
    return size.products() * tiles * pairs + of_value * size.complex_values() * spectra;
}

/// The tiles that cost least; the smaller of two that cost the same. Each size is kernels to compile: those
/// of 16 and 64 pixels come within a few per cent of what 32 would save beside them.
inline fft_sizes fft_sizes_of(conv_pass pass, const kernel::conv_sizes& s) {
    const int d = is_one_line(s.d) ? 1 : planes_of_fft;
    fft_sizes best{d, 0, 0};
    for (const int h : {1, 16, largest_fft})
        for (const int w : {16, largest_fft}) {
            if (is_one_line(s.h) ? h != 1 : h < max_of(reach_of(s.h), 2)) continue;
            if (w < reach_of(s.w)) continue;
            if (best.w == 0 || fft_cost(pass, s, {d, h, w}) < fft_cost(pass, s, best)) best = {d, h, w};
        }
    return best;
}

/// Why Fourier transforms cannot compute this; empty where they can.
inline std::string fft_obstacle(const kernel::conv_sizes& s, bool takes_type) {
    if (!takes_type) return "it takes f32, f16 and bf16, and sums them in f32";
    if ((!is_one_line(s.d) && s.d.stride != 1) || s.h.stride != 1 || s.w.stride != 1)
        return "it takes strides of 1";
    if (reach_of(s.h) > largest_fft || reach_of(s.w) > largest_fft)
        return "it takes filters that reach over at most " + std::to_string(largest_fft) +
               " pixels along a dimension, dilation counted";
    if (reach_of(s.d) > planes_of_fft)
        return "it takes filters that reach over at most " + std::to_string(planes_of_fft) +
               " pixels along d, dilation counted";
    if (s.batch == 0 || s.channels == 0 || s.filters == 0)
        return "it takes sums of at least one product, so images, channels and filters must be some";
    return "";
}

}  // namespace FADE_NAMESPACE::tune
