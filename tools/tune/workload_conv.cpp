#include "tune/convolution.hpp"
#include "tune/tensor.hpp"

namespace fade::tools {

std::unique_ptr<workload> make_workload(host_device& device, const conv_work& w) {
    constexpr conv_algorithms algorithms{.im2col = true};
    return std::make_unique<convolution<host_device, float, tensor, algorithms>>(device, w);
}

}  // namespace fade::tools
