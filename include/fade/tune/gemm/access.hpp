// How kernels read the operands of a product.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// How a kernel reads its operands: the four layouts in aligned 16-byte runs, or element by element with any
/// strides.
enum class operand_access { nn, nt, tn, tt, strided };

/// Its name in reports.
constexpr const char* name(operand_access r) {
    constexpr const char* names[] = {"nn", "nt", "tn", "tt", "strided"};
    return names[int(r)];
}

}  // namespace FADE_NAMESPACE
