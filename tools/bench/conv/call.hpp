// A convolution as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include <fade/kernel/conv/problem.hpp>

namespace fade::bench {

/// A problem with the memory of its tensors: x and w give y, dy and w give dx, x and dy give dw. Those that
/// the pass has no use for are null.
struct conv_call {
    conv_pass pass{};
    conv_problem problem;
    void* x = nullptr;  ///< or dx
    void* w = nullptr;  ///< or dw
    void* y = nullptr;  ///< or dy
    conv_algorithm algorithm = conv_algorithm::automatic;
    bool strict = false;
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;
};

using conv_runner = runner<conv_call>;

}  // namespace fade::bench
