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
    /// Of an image.
    constexpr index pixels_read() const { return index(image_h) * image_w; }
    constexpr index pixels_made() const { return index(output_h) * output_w; }

    struct place {
        index image;
        int row, column;
    };
    FADE_FN place at(index tile) const {
        const index line = tile / tiles_w, image = line / tiles_h;
        return {image, int(line - image * tiles_h), int(tile - line * tiles_w)};
    }
};

/// The same of images of three dimensions.
struct volume_tiles : image_tiles {
    int tiles_d, image_d, output_d, start_d, step_d;

    FADE_FN constexpr int of_image() const { return tiles_d * image_tiles::of_image(); }
    constexpr index pixels_read() const { return image_d * image_tiles::pixels_read(); }
    constexpr index pixels_made() const { return output_d * image_tiles::pixels_made(); }

    struct place {
        index image;
        int plane, row, column;
    };
    FADE_FN place at(index tile) const {
        const image_tiles::place in_plane = image_tiles::at(tile);
        const index image = in_plane.image / tiles_d;
        return {image, int(in_plane.image - image * tiles_d), in_plane.row, in_plane.column};
    }
};

}  // namespace FADE_NAMESPACE::kernel
