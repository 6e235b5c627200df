#include "request.hpp"

namespace fade::bench {

std::span<const tools::option> rows_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of what is read", "element type of y, or of dx; by default that of what is read",
        {
            {"op", "NAME",
             "rms_norm, layer_norm, softmax, log_softmax, cross_entropy, sum, mean, max, argmax or top_k"},
            {"rows", "N", "rows of the matrix"},
            {"columns", "N", "elements of a row"},
            {"pass", "fwd|bwd", "the result, or the gradients of norms, softmaxes and cross_entropy; fwd"},
            {"residual", "",
             "norms: x and a residual are added and the sum is stored, or dx takes what reached the sum"},
            {"k", "N", "top_k: so many of each row or column, 1 to 64"},
            {"along", "rows|columns",
             "sum, mean, max, argmax and top_k: a result of each row, or of each column; rows"},
        });
    return known;
}

}  // namespace fade::bench
