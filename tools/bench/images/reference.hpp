// Independent operators over images in double precision, by their definitions.
#pragma once
#include "data.hpp"

namespace fade::bench {

/// What some elements of a tensor should be. `scale` is the size of the terms of each value.
struct expected_elements {
    std::string_view tensor;
    plane_place at;
    std::vector<double> value, scale;
};

/// Results come in units that need nothing of each other: channels of batch_norm, images of the gradients of
/// grid_sample, else planes.
index units_of(const image_problem& problem);

/// What an operator should write of a unit.
std::vector<expected_elements> reference_of(const image_request& request, const image_data& data, index unit);

/// The pixel of a window of a pooling along one dimension: tap t of output o.
inline index pool_pixel(index output, int tap, int stride, int dilation, int pad) {
    return output * stride - pad + index(tap) * dilation;
}

}  // namespace fade::bench
