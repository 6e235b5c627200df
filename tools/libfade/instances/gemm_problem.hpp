// A product's sizes of fade.h as C++ has them, for the calls and for what checks them.
#pragma once
#include "fade.h"
#include <fade/kernel/gemm/problem.hpp>

namespace fade::c {

/// Of a product, or of products by tables of pointers, which have no strides.
template <class Arguments>
gemm_problem problem_of(const Arguments& g) {
    gemm_problem p{.m = g.m,
                   .n = g.n,
                   .k = g.k,
                   .layout = gemm_layout(g.layout),
                   .batch = g.batch,
                   .alpha = g.alpha,
                   .beta = g.beta,
                   .lda = g.lda,
                   .ldb = g.ldb,
                   .ldc = g.ldc,
                   .ldd = g.ldd};
    if constexpr (requires { g.stride_a; })
        p.stride_a = g.stride_a, p.stride_b = g.stride_b, p.stride_c = g.stride_c, p.stride_d = g.stride_d;
    return p;
}

}  // namespace fade::c
