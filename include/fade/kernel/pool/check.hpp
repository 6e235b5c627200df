// What pooling refuses before anything is written.
#pragma once
#include <fade/kernel/conv/check.hpp>
#include <fade/kernel/image/check.hpp>
#include <fade/kernel/pool/problem.hpp>
#include <utility>

namespace FADE_NAMESPACE::kernel {

/// Every window sees the image, as far as its dilation lets it.
inline void check_room(const char* dimension, int window, int dilation, int begin, int end) {
    const index reach = (index(window) - 1) * dilation + 1;
    for (const auto& [name, room] : {std::pair{"pad.", begin}, {"pad_end.", end}})
        require(room < reach, (name + std::string(dimension)).c_str(), room,
                "a window reaches over " + std::to_string(reach) +
                    " pixels, so with as much room some would see nothing");
}

/// Sizes of a problem that can be; strides and the room behind images made explicit.
inline pool_problem checked(pool_problem p) {
    const auto own = [](int& stride, int window) { stride = stride == 0 ? window : stride; };
    own(p.stride.d, p.window.d), own(p.stride.h, p.window.h), own(p.stride.w, p.window.w);
    const auto whole = [](int& end, int begin) { end = end < 0 ? begin : end; };
    whole(p.pad_end.d, p.pad.d), whole(p.pad_end.h, p.pad.h), whole(p.pad_end.w, p.pad.w);
    require(p.batch >= 0 && p.batch < index(1) << 31, "batch", p.batch, "it must be between 0 and 2^31 - 1");
    require(p.channels >= 0, "channels", p.channels, "it must be at least 0");
    const auto beyond = [&](int stride) { return p.ceil_mode ? stride - 1 : 0; };
    check_dimension("d", p.input.d, p.window.d, p.stride.d, p.dilation.d, p.pad.d, p.pad_end.d, "window",
                    beyond(p.stride.d));
    check_dimension("h", p.input.h, p.window.h, p.stride.h, p.dilation.h, p.pad.h, p.pad_end.h, "window",
                    beyond(p.stride.h));
    check_dimension("w", p.input.w, p.window.w, p.stride.w, p.dilation.w, p.pad.w, p.pad_end.w, "window",
                    beyond(p.stride.w));
    check_room("d", p.window.d, p.dilation.d, p.pad.d, p.pad_end.d);
    check_room("h", p.window.h, p.dilation.h, p.pad.h, p.pad_end.h);
    check_room("w", p.window.w, p.dilation.w, p.pad.w, p.pad_end.w);
    check_image_elements("x", p.batch, p.channels, p.input);
    check_image_elements("y", p.batch, p.channels, p.output());
    return p;
}

}  // namespace FADE_NAMESPACE::kernel
