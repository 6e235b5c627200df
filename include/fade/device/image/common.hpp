// What calls of operators over images share: runs of channels, grids, words.
#pragma once
#include <cstdint>
#include <fade/core/report.hpp>
#include <fade/core/shape.hpp>
#include <fade/device/operation.hpp>
#include <fade/device/run_on.hpp>
#include <fade/kernel/image/check.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// Can lanes take so many neighbouring channels of tensors that begin there?
template <class... T>
bool takes_channel_runs(const kernel::image_layout& layout, int run, const T*... tensors) {
    return layout.inner % run == 0 &&
           (... && (reinterpret_cast<std::uintptr_t>(tensors) % (std::size_t(run) * sizeof(T)) == 0));
}

inline grid_shape grid_of_items(const kernel::pixel_items& items) {
    return {int(ceil_div<index>(items.count(), kernel::image_items)), 1, 1};
}

/// "2 x 3 images of 1 x 8 x 8"
inline std::string image_words(index batch, int channels, const spatial& size) {
    return std::to_string(batch) + " x " + std::to_string(channels) + " channels of " +
           std::to_string(size.d) + " x " + std::to_string(size.h) + " x " + std::to_string(size.w);
}

/// Whole runs are 16 bytes of neighbouring channels. Channels first have none, and need none: lanes take
/// neighbouring pixels.
template <class Device>
report report_of_images(const Device& device, std::string requested, conv_layout layout, bool whole_runs) {
    report out;
    out.requested = std::move(requested);
    out.device = device.name();
    with_arch_of(device, [&](auto arch) { out.arch = std::string(arch.traits.name); });
    out.evidence = "no measurement of this type and architecture";
    out.chosen = whole_runs ? "channel runs" : layout == conv_layout::channels_first ? "pixels" : "elements";
    out.why = whole_runs ? "lanes take 16 bytes of neighbouring channels"
              : layout == conv_layout::channels_first
                  ? "channels come first, so lanes take neighbouring pixels"
                  : "channels are not whole aligned runs of 16 bytes, so elements move one by one";
    out.fallback = !whole_runs && layout == conv_layout::channels_last && device.name() != "host";
    return out;
}

}  // namespace FADE_NAMESPACE
