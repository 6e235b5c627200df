// What launches of all products of matrices are given, filled in one place.
#pragma once
#include <fade/kernel/gemm/arguments.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <utility>

namespace FADE_NAMESPACE {

/// How a product is shared out among workgroups.
struct product_share {
    index tile_rows, tile_columns;
    int splits = 1;     ///< workgroups that share a tile's k
    index k_split = 0;  ///< k of one of them, where there are more
};

/// An operand as kernels move it.
template <class In, class T>
const In* as_input(const T* operand) {
    if constexpr (std::is_same_v<In, T>)
        return operand;
    else
        return reinterpret_cast<const In*>(operand);
}

/// Of a checked problem, whose leading dimensions and strides are all there. Sums of a shared k go to
/// `partial`.
template <class In, class Out, class Epilogue>
kernel::gemm_arguments<In, Out, Epilogue>
gemm_arguments_of(const gemm_problem& p, const gemm_operands<In, Out>& o, const Epilogue& epilogue,
                  const product_share& share, accumulator_t<In>* partial = nullptr) {
    using value = typename kernel::gemm_arguments<In, Out, Epilogue>::value;
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    return {.a = as_input<In>(o.a.get()),
            .b = as_input<In>(o.b.get()),
            .c = o.c,
            .d = o.d,
            .m = p.m,
            .n = p.n,
            .k = p.k,
            .a_row = ta ? 1 : p.lda,
            .a_k = ta ? p.lda : 1,
            .b_column = tb ? p.ldb : 1,
            .b_k = tb ? 1 : p.ldb,
            .ldc = p.ldc,
            .ldd = p.ldd,
            .stride_a = p.stride_a,
            .stride_b = p.stride_b,
            .stride_c = p.stride_c,
            .stride_d = p.stride_d,
            .alpha = value(p.alpha),
            .beta = value(p.beta),
            .tile_rows = int(share.tile_rows),
            .tile_columns = int(share.tile_columns),
            .splits = share.splits,
            .k_split = share.splits > 1 ? share.k_split : p.k,
            .partial = partial,
            .epilogue = epilogue};
}

/// The same for a kernel of few rows, whose rows are columns of D where the product is `transposed`.
template <class In, class Out, class Epilogue>
kernel::sliced_arguments<In, Out, Epilogue>
sliced_arguments_of(kernel::gemm_arguments<In, Out, Epilogue> args, bool transposed) {
    if (transposed)
        std::swap(args.a, args.b), std::swap(args.m, args.n), std::swap(args.a_row, args.b_column),
            std::swap(args.a_k, args.b_k), std::swap(args.stride_a, args.stride_b),
            std::swap(args.tile_rows, args.tile_columns);
    return {args, transposed};
}

}  // namespace FADE_NAMESPACE
