// A product with its inputs made, ready to run.
#pragma once
#include "../check.hpp"
#include "request.hpp"

namespace fade::bench {

class product_data {
public:
    explicit product_data(const product_request& request);

    const product_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }
    const buffer& output() const { return *buffers_.find("d"); }

private:
    buffer_set buffers_;
    product_call call_;
};

/// Which matrix of `name` a product of a batch has: they lie backwards from some one on, where no stride
/// leads. The same function tells which product has a matrix.
index matrix_of_product(const product_request& request, std::string_view name, index product);

/// A call whose addresses mean nothing but alignment.
product_call call_without_memory(const product_request& request);

/// The numbers of a buffer, row after row.
std::vector<double> numbers_of(const buffer& from);

}  // namespace fade::bench
