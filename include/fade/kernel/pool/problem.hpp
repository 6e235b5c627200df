// What pooling is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE {

/// y[n, o, c] is the largest, or the mean, of x[n, o * stride - pad + t * dilation, c] over the taps t of a
/// window, in one, two or three dimensions (those that are not there have size 1), as frameworks define
/// pooling. Images are packed, as the layout says.
struct pool_problem {
    index batch = 1;                                  ///< images
    int channels = 0;                                 ///< of x and y
    spatial input{};                                  ///< sizes of x
    spatial window{};                                 ///< taps along each dimension
    spatial stride{0, 0, 0};                          ///< from window to window; 0: the window's size
    spatial dilation{};                               ///< from tap to tap
    margins pad{};                                    ///< room before x
    margins pad_end{-1, -1, -1};                      ///< room behind x; -1: as much as before
    bool ceil_mode = false;                           ///< a last window may reach beyond the room behind x
    bool count_include_pad = true;                    ///< means count the room around x, too
    conv_layout layout = conv_layout::channels_last;  ///< of x and y

    /// Windows along one dimension. A last one begins within x or the room before it.
    static constexpr int outputs(int input, int window, int stride, int dilation, int before, int behind,
                                 bool ceil_mode) {
        const index room = index(input) + before + behind - (index(window) - 1) * dilation - 1;
        const index reached = room + (ceil_mode ? stride - 1 : 0);
        if (reached < 0) return 0;
        const index out = reached / stride + 1;
        return int(ceil_mode && (out - 1) * stride >= index(input) + before ? out - 1 : out);
    }
    /// Sizes of y.
    constexpr spatial output() const {
        const auto along = [&](int in, int taps, int step, int apart, int before, int behind) {
            return outputs(in, taps, step ? step : taps, apart, before, behind < 0 ? before : behind,
                           ceil_mode);
        };
        return {along(input.d, window.d, stride.d, dilation.d, pad.d, pad_end.d),
                along(input.h, window.h, stride.h, dilation.h, pad.h, pad_end.h),
                along(input.w, window.w, stride.w, dilation.w, pad.w, pad_end.w)};
    }
};

/// Memory of max_pool that the device can read and write.
template <class T>
struct max_pool_operands {
    element_pointer<const T> x{};  ///< images
    element_pointer<T> y{};        ///< of windows
    int* indices = nullptr;        ///< of y's shape: the pixel of each largest element, counted within its
                                   ///< image; null: not wanted
};

/// Memory of max_pool_gradient.
template <class T>
struct max_pool_gradient_operands {
    element_pointer<const T> dy{};  ///< the gradient of y
    const int* indices = nullptr;   ///< those of max_pool
    element_pointer<T> dx{};        ///< of x
};

/// Memory of avg_pool.
template <class T>
struct avg_pool_operands {
    element_pointer<const T> x{};  ///< images
    element_pointer<T> y{};        ///< of windows
};

/// Memory of avg_pool_gradient.
template <class T>
struct avg_pool_gradient_operands {
    element_pointer<const T> dy{};  ///< the gradient of y
    element_pointer<T> dx{};        ///< of x
};

}  // namespace FADE_NAMESPACE
