// A primitive with its lists made, ready to run.
#pragma once
#include "../check.hpp"
#include "request.hpp"

namespace fade::bench {

/// The names of what a problem writes, the main result first.
std::vector<std::string_view> primitives_written(const primitive_request& request);

class primitive_data {
public:
    explicit primitive_data(const primitive_request& request);

    const primitive_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }
    /// All of a list as doubles.
    std::vector<double> list(std::string_view name) const;

private:
    buffer_set buffers_;
    primitive_call call_;
};

/// A call whose addresses mean nothing but alignment.
primitive_call call_without_memory(const primitive_request& request);

/// Compares every result with a reference of other code, in double precision.
check_result check_output(const primitive_request& request, const primitive_data& data);

}  // namespace fade::bench
