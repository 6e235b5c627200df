// What resampling refuses before anything is written.
#pragma once
#include <fade/kernel/image/check.hpp>
#include <fade/kernel/sample/problem.hpp>
#include <utility>

namespace FADE_NAMESPACE::kernel {

inline void check_sizes(const char* name, const spatial& s) {
    for (const auto& [axis, size] : {std::pair{"d", s.d}, {"h", s.h}, {"w", s.w}})
        require(size >= 1, (std::string(name) + "." + axis).c_str(), size, "it must be at least 1");
}

inline void check_sampled(index batch, int channels, const spatial& input, const spatial& output) {
    require(batch >= 0 && batch < index(1) << 31, "batch", batch, "it must be between 0 and 2^31 - 1");
    require(channels >= 0, "channels", channels, "it must be at least 0");
    check_sizes("input", input), check_sizes("output", output);
    check_image_elements("x", batch, channels, input), check_image_elements("y", batch, channels, output);
}

inline void check(const upsample_problem& p) {
    check_sampled(p.batch, p.channels, p.input, p.output);
    require(!p.align_corners || p.mode == upsample_mode::linear, "align_corners", 1,
            std::string("a value of the nearest pixel has no corners to align; the mode is ") + name(p.mode));
}

inline void check(const grid_sample_problem& p) {
    check_sampled(p.batch, p.channels, p.input, p.output);
    require(p.dimensions == 2 || p.dimensions == 3, "dimensions", p.dimensions, "a point has 2 or 3");
    require(p.dimensions == 3 || (p.input.d == 1 && p.output.d == 1), "input.d",
            max_of(p.input.d, p.output.d), "points of 2 dimensions have no depth, so it must be 1");
    check_image_elements("grid", p.batch, p.dimensions, p.output);
}

}  // namespace FADE_NAMESPACE::kernel
