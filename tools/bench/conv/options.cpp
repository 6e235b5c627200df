#include "request.hpp"

namespace fade::bench {

std::span<const tools::option> conv_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of what is read", "element type of the result; by default that of what is read",
        {
            {"pass", "fwd|bwd-data|bwd-weights", "y, the gradient of x, or the gradient of the filter; fwd"},
            {"dims", "1|2|3", "dimensions of an image; as many as --in names"},
            {"n", "N", "images; n, c and k may list several sizes, as 1,8,32"},
            {"c", "N", "channels of x"},
            {"k", "N", "filters, which are channels of y"},
            {"in", "SIZES", "pixels of x along each dimension, as 56,56"},
            {"filter", "SIZES", "taps of the filter along each dimension, as 3,3"},
            {"stride", "SIZES", "pixels of x between those of y; 1"},
            {"pad", "SIZES", "zeros before and behind x; 0"},
            {"dilation", "SIZES", "pixels of x between taps; 1"},
            {"groups", "N", "filters of a group see the channels of that group; 1"},
            {"layout", "nhwc|nchw", "channels last, or before the dimensions of an image; nhwc"},
            {"algo", "auto|implicit_gemm|direct|im2col|winograd_f2|winograd_f4|mec|fft",
             "how it is computed; auto"},
        });
    return known;
}

}  // namespace fade::bench
