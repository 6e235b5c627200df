// Images cut into tiles that overlap in what they read, for convolutions by transforms.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::kernel {

/// Images as tiles of windows, of which each makes step_h x step_w pixels; the last ones of a line or a
/// column may reach beyond it.
struct image_tiles {
    int tiles_h, tiles_w;    ///< of an image
    int image_h, image_w;    ///< pixels that are read
    int output_h, output_w;  ///< pixels that are made
    int start_h, start_w;    ///< where the first window begins in what is read
    int step_h, step_w;      ///< from one window to the next

    FADE_FN constexpr int of_image() const { return tiles_h * tiles_w; }

    struct place {
        index image;
        int row, column;
    };
    FADE_FN place at(index tile) const {
        const index line = tile / tiles_w, image = line / tiles_h;
        return {image, int(line - image * tiles_h), int(tile - line * tiles_w)};
    }
};

}  // namespace FADE_NAMESPACE::kernel
