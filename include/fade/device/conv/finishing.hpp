// What kernels are given that finish sums which products have left in the workspace.
#pragma once
#include <fade/kernel/conv/problem.hpp>
#include <fade/kernel/gemm/arguments.hpp>

namespace FADE_NAMESPACE {

/// alpha, C and the epilogue for rows x columns of D, whose rows lie one after the other. A and B are not
/// read, nor are partial sums unless the caller adds them.
template <class In, class Out, class Epilogue>
kernel::gemm_arguments<In, Out, Epilogue> finishing_arguments(const conv_problem& problem, const Out* c,
                                                              Out* d, index rows, index columns,
                                                              const Epilogue& epilogue) {
    using value = typename kernel::gemm_arguments<In, Out, Epilogue>::value;
    return {.a = nullptr,
            .b = nullptr,
            .c = c,
            .d = d,
            .m = rows,
            .n = columns,
            .k = 0,
            .a_row = 0,
            .a_k = 0,
            .b_column = 0,
            .b_k = 0,
            .ldc = columns,
            .ldd = columns,
            .stride_a = 0,
            .stride_b = 0,
            .stride_c = 0,
            .stride_d = 0,
            .alpha = value(problem.alpha),
            .beta = value(problem.beta),
            .tile_rows = 0,
            .tile_columns = 0,
            .splits = 1,
            .k_split = 0,
            .partial = nullptr,
            .epilogue = epilogue};
}

}  // namespace FADE_NAMESPACE
