// Rows of a matrix that a list names.
#pragma once
#include <cstring>
#include <fade/backend/buffer.hpp>
#include <fade/block/source/strided.hpp>

namespace FADE_NAMESPACE::block {

/// Row r is row list[r] of the matrix at `tile`; without a list, row r itself. Rows that the matrix has not
/// read as zero. Lines lie within 2 GiB. The list is read when addresses are made, before the loop over k.
template <class T>
struct listed_operand : operand<T> {
    const int* list;
    int lines;  ///< rows of the matrix that a list may name

    FADE_FN constexpr std::uint32_t offset(int row, int k) const {
        if (!list) return operand<T>::offset(row, k);
        const int line = list[row];
        return line >= 0 && line < lines ? operand<T>::offset(line, k) : backend::outside;
    }
};

/// The same as a CPU takes them: the rows of a strip are copied into `scratch`, as deep as a step.
template <class T>
struct listed_lines {
    const T* at;
    index line_stride;
    const int* list;
    int rows;  ///< of the matrix
    T* scratch;

    static bool in_place() { return false; }
    static bool along_k() { return true; }
    operand<T> lines(index first, int count, index k, int depth) const {
        if (!list) return {at + first * line_stride + k, nullptr, nullptr, line_stride, 1, count};
        for (int i = 0; i < count; ++i) {
            T* to = scratch + index(i) * depth;
            const int line = list[first + i];
            if (line >= 0 && line < rows)
                std::memcpy(to, at + line * line_stride + k, std::size_t(depth) * sizeof(T));
            else
                std::memset(static_cast<void*>(to), 0, std::size_t(depth) * sizeof(T));
        }
        return {scratch, nullptr, nullptr, depth, 1, count};
    }
};

}  // namespace FADE_NAMESPACE::block
