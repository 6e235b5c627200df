// The matrices of a problem: their names, shapes and memory.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>
#include "../common/memory.hpp"
#include "request.hpp"

namespace fade::bench {

/// Row-major matrices, one after the other; a row of `columns` elements starts every `row` elements.
struct matrix {
    std::string name;
    const element* type = nullptr;
    bool written = false;
    index batch = 1, rows = 0, columns = 0, row = 0;
    double scale = 1;  ///< of its random values

    index at(index b, index i, index j) const { return (b * rows + i) * row + j; }
    bool empty() const { return batch == 0 || rows == 0 || columns == 0; }
    /// Elements from the first to the last; sizes that overflow stay at the largest number.
    tools::big_size span() const;
    index count() const { return index(span().value); }
    std::size_t bytes() const { return std::size_t(count()) * type->bytes; }
};

/// What a problem reads and writes: a b d, c where it is read, and one matrix for each stage that needs one.
std::vector<matrix> matrices_of(const gemm_request& request, const gemm_problem& problem);

/// Throws a refusal where these problems, and what their kernels need beside, do not fit into the memory there is.
void check_memory(const gemm_request& request, std::uint64_t workspace_bytes);

/// Memory of a matrix between two guards. It starts as 0xff bytes: NaN in every floating-point type.
class buffer {
public:
    explicit buffer(matrix shape);

    const matrix& shape() const { return shape_; }
    std::byte* data() const { return held_.get() + guard; }
    /// Makes it what it was at first.
    void poison() const;
    /// Bytes outside of the matrix, in its guards and between its rows, that are no longer 0xff.
    index bytes_changed_outside() const;

private:
    static constexpr std::size_t guard = 4096;
    struct release {
        void operator()(std::byte* p) const;
    };
    matrix shape_;
    std::unique_ptr<std::byte[], release> held_;
};

}  // namespace fade::bench
