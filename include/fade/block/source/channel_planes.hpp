// Where the pixels of one channel lie in images whose channels come first.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/number/divisor.hpp>

namespace FADE_NAMESPACE::block {

/// Pixels of one channel, numbered through all images; fewer than 2^31.
struct channel_planes {
    index batch;
    int channels, pixels;
    divisor by_pixels;

    channel_planes(index images, int channels_of_image, index pixels_of_image)
        : batch(images), channels(channels_of_image), pixels(int(pixels_of_image)),
          by_pixels(std::uint32_t(pixels > 1 ? pixels : 1)) {}

    FADE_FN index offset(int channel, index item) const {
        const index image = by_pixels.quotient(std::uint32_t(item));
        return (image * channels + channel) * pixels + (item - image * pixels);
    }
    FADE_FN index count() const { return batch * pixels; }
};

}  // namespace FADE_NAMESPACE::block
