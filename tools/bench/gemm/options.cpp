#include "request.hpp"

namespace fade::bench {

std::span<const tools::option> gemm_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of A and B", "element type of C, D, bias and residual; by default that of A and B",
        {
            {"m", "N", "rows of D"},
            {"n", "N", "columns of D"},
            {"k", "N", "products summed for an element of D"},
            {"layout", "nn|nt|tn|tt", "A, B as written (n) or transposed (t), row-major; nn"},
            {"batch", "N", "as many problems, whose matrices lie one after the other; 1"},
            {"alpha", "X", "factor of the product; 1"},
            {"beta", "X", "factor of C; 0: C is not read"},
            {"lda", "N", "elements from one row of A to the next; packed"},
            {"ldb", "N", "the same of B"},
            {"ldc", "N", "the same of C and D"},
            {"epilogue", "CHAIN", "none, or stages joined with +, as bias+gelu; --list names them"},
            {"split-k", "N|auto", "workgroups that share the products of one element; 1"},
            {"grouped", "FILE", "problems of the sizes in FILE, a line `m n k` each, one after the other"},
        });
    return known;
}

}  // namespace fade::bench
