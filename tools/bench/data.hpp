// A problem with its inputs made, ready to run.
#pragma once
#include "matrix.hpp"
#include "runner.hpp"

namespace fade::bench {

/// The buffers of one problem and the call that names them.
class gemm_data {
public:
    gemm_data(const gemm_request& request, const gemm_problem& problem, index group);

    const gemm_problem& problem() const { return call_.problem; }
    const gemm_call& call() const { return call_; }
    const std::vector<buffer>& buffers() const { return buffers_; }
    /// The buffer of that name; nullptr where this problem has none.
    const buffer* find(std::string_view name) const;
    const buffer& output() const { return *find("d"); }
    std::vector<memory_piece> memory() const;

private:
    std::vector<buffer> buffers_;
    gemm_call call_;
};

/// A call whose addresses mean nothing but alignment: enough to choose a kernel for a problem of any size.
gemm_call call_without_memory(const gemm_request& request, const gemm_problem& problem);

/// A hash of the elements of a matrix, without what lies between its rows.
std::uint64_t checksum(const buffer& of);

}  // namespace fade::bench
