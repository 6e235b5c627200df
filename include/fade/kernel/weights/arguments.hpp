// What a launch of a product with quantised weights is given.
#pragma once
#include <fade/block/weights/source.hpp>
#include <fade/kernel/gemm/arguments.hpp>
#include <fade/kernel/gemm/store.hpp>

namespace FADE_NAMESPACE::kernel {

/// GEMM's arguments, whose b is null. k is 0 where A and W are not read.
template <class In, class Out, class Epilogue>
struct weight_arguments : gemm_arguments<In, Out, Epilogue> {
    block::weight_memory weights;
    int share_rows, share_columns;  ///< what a workgroup of the host makes
    int ranks = 1;                  ///< workgroups of a cluster that share a part of k
};

template <class Args, weight_format Format>
FADE_FN auto weights_at(const Args& args, const output_tile& at) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    return block::weight_source<Format, in>::of(args.weights, at.column, at.k_begin, at.columns);
}

}  // namespace FADE_NAMESPACE::kernel
