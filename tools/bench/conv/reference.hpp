// Independent convolutions in double precision: direct loops.
#pragma once
#include "data.hpp"
#include <functional>
#include <vector>

namespace fade::bench {

/// What the channels of a pixel of the result should be (of dw: of a filter's tap).
struct reference_pixel {
    index image, pixel;
    const std::vector<double>& channels;
    double squares;  ///< what the squares of all channels should add up to, as their inputs are drawn
};

/// Rows of the result that are computed at once: pixels of y or dx, or filters of dw.
index rows_of(const conv_request& request);

/// Computes rows on all cores. `visit` is called from several threads at once.
void compute_reference(const conv_request& request, const conv_data& data, const std::vector<index>& rows,
                       const std::function<void(const reference_pixel&)>& visit);

/// Bytes that the reference needs beside the tensors.
std::uint64_t reference_bytes(const conv_request& request);

}  // namespace fade::bench
