// A multiplication as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include "stage.hpp"
#include <fade/kernel/gemm/problem.hpp>

namespace fade::bench {

/// A stage with the memory that it reads.
struct stage_use {
    const stage* what;
    const void* values;
    index row, batch_stride;
};

/// A problem with the memory of its matrices, and the type of C and D.
struct gemm_call {
    gemm_problem problem;
    fade::dtype out = fade::dtype::f32;
    const void* a = nullptr;
    const void* b = nullptr;
    const void* c = nullptr;
    void* d = nullptr;
    std::vector<stage_use> epilogue{};
    int split_k = 1;
    bool strict = false;
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;
};

class gemm_runner : public runner<gemm_call> {
public:
    using runner::runner;
    /// The chains held beside none; empty where every sequence of stages is.
    virtual std::vector<std::string> chains() const { return {}; }
};

}  // namespace fade::bench
