// A product's sizes of fade.h as C++ has them, for the calls and for what checks them.
#pragma once
#include "fade.h"
#include <fade/kernel/gemm/problem.hpp>

namespace fade::c {

inline gemm_problem problem_of(const fade_gemm_args& g) {
    return {.m = g.m,
            .n = g.n,
            .k = g.k,
            .layout = gemm_layout(g.layout),
            .batch = g.batch,
            .alpha = g.alpha,
            .beta = g.beta,
            .lda = g.lda,
            .ldb = g.ldb,
            .ldc = g.ldc,
            .ldd = g.ldd,
            .stride_a = g.stride_a,
            .stride_b = g.stride_b,
            .stride_c = g.stride_c,
            .stride_d = g.stride_d};
}

}  // namespace fade::c
