// The tensors of a problem, as matrices: their names, shapes and memory.
#pragma once
#include "../common/memory.hpp"
#include "element.hpp"
#include "runner.hpp"
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fade::bench {

/// Row-major matrices, one after the other; a row of `columns` elements starts every `row` elements.
struct matrix {
    std::string name;
    const element* type = nullptr;
    bool written = false;
    bool addresses = false;  ///< a row is an address in another matrix of the problem, in two words
    index batch = 1, rows = 0, columns = 0, row = 0;
    double scale = 1;  ///< of its random values

    index at(index b, index i, index j) const { return (b * rows + i) * row + j; }
    bool empty() const { return batch == 0 || rows == 0 || columns == 0; }
    /// Elements from the first to the last; sizes that overflow stay at the largest number.
    tools::big_size span() const;
    index count() const { return index(span().value); }
    std::size_t bytes() const { return std::size_t(count()) * type->bytes; }
};

matrix packed(std::string name, const element* type, index batch, index rows, index columns);

/// Throws a refusal where these, and what kernels need beside, do not fit into the memory there is.
void check_memory(const std::vector<matrix>& all, std::uint64_t workspace_bytes);

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

/// The buffers of one problem.
class buffer_set {
public:
    const std::vector<buffer>& all() const { return all_; }
    /// The buffer of that name; nullptr where this problem has none.
    const buffer* find(std::string_view name) const;
    /// Where it lies; null where this problem has none.
    std::byte* address(std::string_view name) const;
    std::vector<memory_piece> memory() const;
    std::uint64_t bytes() const;
    const buffer& add(matrix shape) { return all_.emplace_back(std::move(shape)); }

private:
    std::vector<buffer> all_;
};

/// A hash of the elements of a matrix, without what lies between its rows.
std::uint64_t checksum(const buffer& of);

/// ||from - before|| / ||before||: how far the elements are from those of another result.
double difference(const buffer& from, const std::vector<std::byte>& before);

}  // namespace fade::bench
