// What resampling of images is asked to do.
#pragma once
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE {

/// How a value between pixels is found.
enum class upsample_mode {
    nearest,        ///< of pixel floor(o * input / output)
    nearest_exact,  ///< of pixel floor((o + 1/2) * input / output)
    linear          ///< between neighbours, along each dimension: bilinear, trilinear
};

/// Its name.
constexpr const char* name(upsample_mode m) {
    constexpr const char* names[] = {"nearest", "nearest_exact", "linear"};
    return names[int(m)];
}

/// Sizes of upsample() and its gradient, in one, two or three dimensions (those that are not there have size
/// 1). Output o lies at (o + 1/2) * input / output - 1/2 of the input, and not before its first pixel; with
/// align_corners at o * (input - 1) / (output - 1). Images are packed, as the layout says.
struct upsample_problem {
    index batch = 1;                                  ///< images
    int channels = 0;                                 ///< of x and y
    spatial input{};                                  ///< sizes of x
    spatial output{};                                 ///< sizes of y; they may be smaller
    upsample_mode mode = upsample_mode::nearest;      ///< how values are found
    bool align_corners = false;                       ///< linear: corners of both lie on each other
    conv_layout layout = conv_layout::channels_last;  ///< of x and y
};

/// What lies outside an image.
enum class grid_padding {
    zeros,      ///< zeros
    border,     ///< the pixel that is next
    reflection  ///< the image, reflected at its edges as often as it takes
};

/// Its name.
constexpr const char* name(grid_padding p) {
    constexpr const char* names[] = {"zeros", "border", "reflection"};
    return names[int(p)];
}

/// How grid_sample() finds a value between pixels.
enum class grid_mode {
    linear,  ///< between neighbours, along each dimension
    nearest  ///< of the nearest pixel; halves to even
};

/// Its name.
constexpr const char* name(grid_mode m) { return m == grid_mode::linear ? "linear" : "nearest"; }

/// Sizes of grid_sample() and its gradient, in two or three dimensions. -1 and 1 are the outer edges of the
/// first and the last pixel, or with align_corners their middles. Images are packed, as the layout says.
struct grid_sample_problem {
    index batch = 1;                                  ///< images
    int channels = 0;                                 ///< of x and y
    spatial input{};                                  ///< sizes of x
    spatial output{};                                 ///< sizes of y
    int dimensions = 2;                               ///< coordinates of a point: 2 (w, h) or 3 (w, h, d)
    grid_mode mode = grid_mode::linear;               ///< how values are found
    grid_padding padding = grid_padding::zeros;       ///< what lies outside
    bool align_corners = false;                       ///< what -1 and 1 are
    conv_layout layout = conv_layout::channels_last;  ///< of x and y
};

/// Memory of grid_sample() that the device can read and write. The grid is f32, [batch, outputs, dimensions].
template <class T>
struct grid_sample_operands {
    const T* x = nullptr;         ///< images
    const float* grid = nullptr;  ///< where in x each output lies
    T* y = nullptr;               ///< what was found
};

/// Memory of grid_sample_gradient().
template <class T>
struct grid_sample_gradient_operands {
    const T* x = nullptr;         ///< images; not read unless dgrid is wanted
    const float* grid = nullptr;  ///< where in x each output lies
    const T* dy = nullptr;        ///< gradient of y
    T* dx = nullptr;              ///< gradient of x; null: not wanted
    float* dgrid = nullptr;       ///< gradient of the grid; null: not wanted
};

}  // namespace FADE_NAMESPACE
