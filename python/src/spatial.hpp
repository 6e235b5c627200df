// Sizes along the dimensions of an image, as methods take them.
#pragma once
#include "device.hpp"

namespace fade::python {

/// Three numbers: depth, height, width.
inline fade_spatial spatial_of(taken& from) {
    fade_spatial out;
    out.d = from.integer32(), out.h = from.integer32(), out.w = from.integer32();
    return out;
}

/// Windows along a dimension; 0 for what the library refuses.
inline std::int64_t outputs(int input, int taps, int stride, int dilation, int before, int behind,
                            bool ceil_mode = false) {
    const std::int64_t room = std::int64_t(input) + before + behind - (std::int64_t(taps) - 1) * dilation - 1;
    const std::int64_t reached = room + (ceil_mode ? stride - 1 : 0);
    if (reached < 0 || stride < 1) return 0;
    const std::int64_t out = reached / stride + 1;
    return ceil_mode && (out - 1) * stride >= std::int64_t(input) + before ? out - 1 : out;
}

/// A number of elements; -1, which no tensor has, where it is beyond all.
inline std::int64_t product(std::initializer_list<std::int64_t> sizes) {
    std::int64_t out = 1;
    for (const std::int64_t s : sizes)
        if (s < 0 || __builtin_mul_overflow(out, s, &out)) return -1;
    return out;
}

}  // namespace fade::python
