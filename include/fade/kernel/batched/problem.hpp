// The memory of products whose matrices lie where tables of pointers say.
#pragma once
#include <fade/core/call/pointer_table.hpp>
#include <fade/kernel/gemm/problem.hpp>

namespace FADE_NAMESPACE {

/// Tables of `batch` pointers each, in memory that the device can read. Product b multiplies the matrices
/// that the pointers number b lead to. Pointers of A, B and C may repeat; D's lie apart.
template <class In, class Out = In>
struct batched_gemm_operands {
    pointer_table<const In> a{};   ///< to matrices A, as the layout says
    pointer_table<const In> b{};   ///< to matrices B, as the layout says
    pointer_table<const Out> c{};  ///< to m x n matrices; the table is not read where beta is 0
    pointer_table<Out> d{};        ///< to m x n matrices; the table may be that of C
};

}  // namespace FADE_NAMESPACE
