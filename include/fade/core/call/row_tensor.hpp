// Rows of elements in memory: what row operators read and write.
#pragma once
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// Rows of T; row r begins at `data + r * stride`. A stride of 0 gives every row the same elements, as the
/// weights of a norm are; -1 stands for rows that lie one behind the other. Null: the tensor is left out.
template <class T>
struct row_tensor {
    T* data = nullptr;  ///< of row 0
    index stride = -1;  ///< elements from row to row
};

/// A column of a row, so that a function can ask for it beside the elements.
struct column {
    int value;  ///< its number, from 0 on
};

}  // namespace FADE_NAMESPACE
