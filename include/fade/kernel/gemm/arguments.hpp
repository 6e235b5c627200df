// What a launch of the matrix multiplication kernel is given.
#pragma once
#include <fade/block/schedule/stream_k.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/tensor_map.hpp>
#include <fade/epilogue/value.hpp>

namespace FADE_NAMESPACE::kernel {

/// Strides count elements: A(i, p) lies at i * a_row + p * a_k, B(p, j) at j * b_column + p * b_k.
template <class In, class Out, class Epilogue>
struct gemm_arguments {
    using value = epilogue::value_t<accumulator_t<In>, Out, Epilogue>;
    const In *a, *b;
    const Out* c;
    Out* d;
    index m, n, k;
    index a_row, a_k, b_column, b_k, ldc, ldd;
    index stride_a, stride_b, stride_c, stride_d;
    value alpha, beta;
    int tile_rows, tile_columns;
    int splits;                  ///< workgroups that share a tile's k; above 1 they leave sums in `partial`
    index k_split;               ///< k of one of them
    accumulator_t<In>* partial;  ///< [batch * splits][m][n]
    Epilogue epilogue;
};

/// Is a column of D made of two of the product?
template <class Args>
inline constexpr bool gates = epilogue::has_gate<decltype(Args::epilogue)>;
/// Columns of D.
template <class Args>
FADE_FN index columns_of_output(const Args& args) {
    return args.n / epilogue::columns_per_output<decltype(Args::epilogue)>;
}

/// Of few rows, or of few columns: then it is `transposed`, which makes D^T = B^T A^T. A row here is a column
/// of D.
template <class In, class Out, class Epilogue>
struct sliced_arguments : gemm_arguments<In, Out, Epilogue> {
    bool transposed;
};

/// Are rows of these arguments columns of D?
template <class Args>
FADE_FN bool is_transposed(const Args& args) {
    if constexpr (requires { args.transposed; })
        return args.transposed;
    else
        return false;
}

/// With what stream-k shares. `partial` holds a tile a place.
template <class In, class Out, class Epilogue>
struct stream_k_arguments : gemm_arguments<In, Out, Epilogue> {
    block::stream_k_shares shares;
};

/// How clusters share the last tiles of D, whose sums lie in `partial`, a tile a place.
struct shared_tail {
    block::stream_k_shares shares{};  ///< none are shared where the number of those is 0
    tensor_map map{};                 ///< of the sums, as rows of a tile
    int tile_rows = 0, tile_columns = 0, cluster = 1, swizzle_rows = 1;
};

/// With maps of A, B and what is stored: D, or the sums in `partial`.
template <class Arguments>
struct with_maps : Arguments {
    int batches;
    int workgroups;  ///< that were launched
    bool boxes_out;  ///< are results stored by the map? Else by elements
    tensor_map a_map, b_map, out_map;
    int cluster_columns = 1;  ///< workgroups of a cluster that are neighbours in a row, and share A; those
                              ///< of a column share B
    shared_tail tail{};
};
template <class In, class Out, class Epilogue>
using tma_gemm_arguments = with_maps<gemm_arguments<In, Out, Epilogue>>;

}  // namespace FADE_NAMESPACE::kernel
