// What a convolution is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/call/spatial.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// Zeros around an image, along each dimension.
struct margins {
    int d = 0;  ///< along depth
    int h = 0;  ///< along height
    int w = 0;  ///< along width
    /// Are all equal?
    constexpr bool operator==(const margins&) const = default;
};

/// What passes through a convolution, and which way.
enum class conv_pass {
    forward,          ///< y from x and the filter
    backward_data,    ///< the gradient of x from that of y and the filter: also a transposed convolution
    backward_weights  ///< the gradient of the filter from x and the gradient of y
};

constexpr const char* name(conv_pass pass) {
    constexpr const char* names[] = {"forward", "backward data", "backward weights"};
    return names[int(pass)];
}

/// Where the channels of images and filters lie.
enum class conv_layout {
    channels_last,  ///< images [batch, d, h, w, channels], filters [filters, d, h, w, channels / groups]
    channels_first  ///< images [batch, channels, d, h, w], filters [filters, channels / groups, d, h, w]
};

/// How a convolution is computed.
enum class conv_algorithm {
    automatic,      ///< direct or mec where they suit, else implicit_gemm
    implicit_gemm,  ///< a product of matrices of which one is never stored; all that FADE convolves
    direct,         ///< taps summed by the pixels that see them; a group must have one channel
    im2col,         ///< a product of matrices of which one is laid out in the workspace
    winograd_f2,    ///< Winograd's F(2 x 2, 3 x 3): 2.25 times fewer products, sums less exact
    winograd_f4,    ///< Winograd's F(4 x 4, 3 x 3): 4 times fewer products, sums still less exact
    mec,  ///< a product of matrices of which one is laid out in the workspace by lines, where windows overlap
    fft   ///< products of the spectra of tiles, by Fourier transforms: for large filters; sums less exact
};

constexpr const char* name(conv_algorithm a) {
    constexpr const char* names[] = {"automatic",   "implicit_gemm", "direct", "im2col",
                                     "winograd_f2", "winograd_f4",   "mec",    "fft"};
    return names[int(a)];
}

/// Is it winograd_f2 or winograd_f4?
constexpr bool is_winograd(conv_algorithm a) {
    return a == conv_algorithm::winograd_f2 || a == conv_algorithm::winograd_f4;
}

/// Are tiles transformed, so that sums are less exact? winograd_f2, winograd_f4 or fft.
constexpr bool is_transformed(conv_algorithm a) { return is_winograd(a) || a == conv_algorithm::fft; }

/// y[n, o, f] = sum over taps t and channels c of x[n, o * stride - pad + t * dilation, c] * w[f, t, c], in
/// one, two or three dimensions (those that are not there have size 1), as frameworks define convolution (the
/// filter is not turned). Images and filters are packed, as the layout says. Filters of group g see the
/// channels of group g. The result is alpha times that, plus beta times C.
struct conv_problem {
    index batch = 1;                                  ///< images
    int channels = 0;                                 ///< of x
    int filters = 0;                                  ///< channels of y
    spatial input{};                                  ///< sizes of x
    spatial filter{};                                 ///< sizes of the filter
    spatial stride{};                                 ///< from one window to the next, in pixels of x
    spatial dilation{};                               ///< from one tap to the next, in pixels of x
    margins pad{};                                    ///< zeros before x
    margins pad_end{-1, -1, -1};                      ///< zeros behind x; -1: as many as before
    int groups = 1;                                   ///< of channels and of filters
    conv_layout layout = conv_layout::channels_last;  ///< of images and filters
    double alpha = 1;                                 ///< times the convolution
    double beta = 0;                                  ///< times C, which is not read where this is 0

    /// Pixels of y along one dimension.
    static constexpr int outputs(int input, int filter, int stride, int dilation, int before, int behind) {
        const index room = index(input) + before + behind - (index(filter) - 1) * dilation - 1;
        return room < 0 ? 0 : int(room / stride + 1);
    }
    /// Sizes of y.
    constexpr spatial output() const {
        const auto behind = [](int end, int begin) { return end < 0 ? begin : end; };
        return {outputs(input.d, filter.d, stride.d, dilation.d, pad.d, behind(pad_end.d, pad.d)),
                outputs(input.h, filter.h, stride.h, dilation.h, pad.h, behind(pad_end.h, pad.h)),
                outputs(input.w, filter.w, stride.w, dilation.w, pad.w, behind(pad_end.w, pad.w))};
    }
};

/// Memory of conv_forward that the device can read and write.
template <class In, class Out = In>
struct conv_operands {
    element_pointer<const In> x{};   ///< images
    element_pointer<const In> w{};   ///< filters
    element_pointer<const Out> c{};  ///< of y's shape; null unless beta is other than 0
    element_pointer<Out> y{};        ///< may be c
    /// Of i8, whose elements stand for x - x_zero; pixels beyond the image are x_zero, so that they add
    /// nothing.
    int x_zero = 0;
    element_pointer<const i32>
        w_zero{};  ///< of i8: one for each filter, which stands for w - w_zero; or null
};

/// Memory of conv_backward_data.
template <class In, class Out = In>
struct conv_data_operands {
    element_pointer<const In> dy{};  ///< the gradient of y
    element_pointer<const In> w{};   ///< filters
    element_pointer<const Out> c{};  ///< of x's shape; null unless beta is other than 0
    element_pointer<Out> dx{};       ///< may be c
};

/// Memory of conv_backward_weights.
template <class In, class Out = In>
struct conv_weights_operands {
    element_pointer<const In> x{};   ///< images
    element_pointer<const In> dy{};  ///< the gradient of y
    element_pointer<const Out> c{};  ///< of the filter's shape; null unless beta is other than 0
    element_pointer<Out> dw{};       ///< may be c
    element_pointer<Out> db{};       ///< a value a filter: dy summed over pixels; null: nobody wants it
};

}  // namespace FADE_NAMESPACE
