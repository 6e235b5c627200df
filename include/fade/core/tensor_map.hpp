// Tensors of which hardware copies whole boxes by itself, by maps that the host writes.
#pragma once
#include <cstddef>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// A tensor [batch, head, position, column]. Distances are in elements, multiples of 16 bytes and above 0. A
/// box of it has `box` positions and the columns of 128 bytes.
struct tile_source {
    const void* base;
    int columns, positions, heads, batches;
    index position, head, batch;  ///< from one to the next
    int box;
    int bytes = 2;   ///< of an element: 1, 2, 4 or 8
    int unused = 0;  ///< rows behind a box in shared memory that are read, and whose contents do not matter
    static constexpr int box_columns = 64;  ///< of 2-byte elements
};

/// The same as the hardware wants it (a CUtensorMap). Emulation reads the source.
struct alignas(64) tensor_map {
    std::byte bits[128];
};

/// One dimension of images that windows step over: place i meets pixel i * step + first, and what a tap adds.
struct im2col_axis {
    int pixels = 1, places = 1, step = 1, first = 0;

    /// Where the last place lies, counted from the last pixel.
    FADE_FN constexpr int last() const { return first + (places - 1) * step - (pixels - 1); }
};

/// Images [image, h, w, channel] of pixels at equal distances, as windows see them: a box has the channels of
/// 128 bytes of `box` places, w fastest, all of one tap. The hardware's im2col mode.
struct im2col_source {
    const void* base;
    int channels, images;
    index pixel;  ///< elements from one pixel to the next: a multiple of 16 bytes, even below all channels
    index line, image;  ///< from one line to the next, and from one image to the next
    im2col_axis h, w;
    int box;
    int bytes = 2;  ///< of an element
};

/// At which pixel the first place of such a box lies, and how many pixels its tap lies behind that. What of
/// the box lies beyond the image or the channels is zeros.
struct im2col_place {
    int channel, w, h, image, tap_w, tap_h;
};

/// Where a box begins. What of it lies beyond the columns or positions is zeros.
struct box_place {
    int column, position, head, batch;
};

}  // namespace FADE_NAMESPACE
