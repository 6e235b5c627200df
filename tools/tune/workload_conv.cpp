#include "tune/convolution.hpp"
#include "tune/tensor.hpp"

namespace fade::tools {

namespace {
template <conv_pass Pass>
std::unique_ptr<workload> pass_of(host_device& device, const conv_problem& problem) {
    constexpr conv_algorithms algorithms{.im2col = true};
    return std::make_unique<convolution<Pass, host_device, float, tensor, algorithms>>(device, problem);
}
}  // namespace

std::unique_ptr<workload> make_workload(host_device& device, const conv_work& w) {
    using enum conv_pass;
    return w.pass == forward         ? pass_of<forward>(device, w.problem)
           : w.pass == backward_data ? pass_of<backward_data>(device, w.problem)
                                     : pass_of<backward_weights>(device, w.problem);
}

}  // namespace fade::tools
