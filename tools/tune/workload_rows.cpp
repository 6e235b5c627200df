#include "tune/row_operator.hpp"
#include "tune/tensor.hpp"

namespace fade::tools {

std::unique_ptr<workload> make_workload(host_device& device, const rows_work& w) {
    return std::make_unique<row_calls<host_device, float, tensor>>(device, w);
}

}  // namespace fade::tools
