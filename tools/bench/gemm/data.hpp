// A problem with its inputs made, ready to run.
#pragma once
#include "../matrix.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// What a problem reads and writes: a b d, c where it is read, and one matrix for each stage that needs one.
std::vector<matrix> matrices_of(const gemm_request& request, const gemm_problem& problem);

/// The buffers of one problem and the call that names them.
class gemm_data {
public:
    gemm_data(const gemm_request& request, const gemm_problem& problem, index group);

    const gemm_problem& problem() const { return call_.problem; }
    const gemm_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }
    const buffer& output() const { return *buffers_.find("d"); }

private:
    buffer_set buffers_;
    gemm_call call_;
};

/// A call whose addresses mean nothing but alignment: enough to choose a kernel for a problem of any size.
gemm_call call_without_memory(const gemm_request& request, const gemm_problem& problem);

}  // namespace fade::bench
