// Images as operators over windows take them: pixels of runs of channels, in either order of memory.
#pragma once
#include <fade/core/call/spatial.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/divisor.hpp>
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// Channels last are neighbours, and lanes take runs of them; channels first are images of their own, with
/// one channel, and lanes take neighbouring pixels.
struct image_layout {
    index images;  ///< with channels first those of each channel
    int inner;     ///< channels that are neighbours

    constexpr image_layout(index batch, int channels, conv_layout order)
        : images(order == conv_layout::channels_last ? batch : batch * channels),
          inner(order == conv_layout::channels_last ? channels : 1) {}
};

struct pixel_place {
    index image;
    spatial at;
    int channel;  ///< the first of a run
};

/// Runs of channels of all pixels, as numbers.
class pixel_items {
public:
    constexpr pixel_items() = default;
    constexpr pixel_items(const image_layout& layout, const spatial& size, int run)
        : size_(size), inner_(layout.inner), run_(run),
          count_(layout.images * size.volume() * (layout.inner / run)),
          runs_(std::uint32_t(layout.inner / run ? layout.inner / run : 1)), w_(std::uint32_t(size.w)),
          h_(std::uint32_t(size.h)), d_(std::uint32_t(size.d)) {}

    constexpr index count() const { return count_; }
    FADE_FN constexpr pixel_place place(std::uint32_t item) const {
        const std::uint32_t pixel = runs_.quotient(item), line = w_.quotient(pixel),
                            plane = h_.quotient(line), image = d_.quotient(plane);
        return {index(image),
                {int(plane - image * d_.by()), int(line - plane * h_.by()), int(pixel - line * w_.by())},
                int(item - pixel * runs_.by()) * run_};
    }
    /// Where that run lies in the tensor.
    FADE_FN constexpr index offset(const pixel_place& p) const {
        return (((p.image * size_.d + p.at.d) * size_.h + p.at.h) * size_.w + p.at.w) * inner_ + p.channel;
    }
    /// Of a pixel by its number within its image.
    FADE_FN constexpr index offset(index image, int pixel, int channel) const {
        return (image * size_.d * size_.h * size_.w + pixel) * inner_ + channel;
    }

private:
    spatial size_;
    int inner_ = 1, run_ = 1;
    index count_ = 0;
    divisor runs_, w_, h_, d_;
};

/// Items of a workgroup.
inline constexpr int image_items = 256;

}  // namespace FADE_NAMESPACE::kernel
