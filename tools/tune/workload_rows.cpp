#include "tune/row_operator.hpp"
#include "tune/tensor.hpp"

namespace fade::tools {

namespace {
template <row_operator What>
std::unique_ptr<workload> calls_of(host_device& device, const rows_work& w) {
    return std::make_unique<row_calls<What, host_device, float, tensor>>(device, w);
}
}  // namespace

std::unique_ptr<workload> make_workload(host_device& device, const rows_work& w) {
    using enum row_operator;
    switch (w.what) {
    case rms_norm:
        return calls_of<rms_norm>(device, w);
    case layer_norm:
        return calls_of<layer_norm>(device, w);
    case softmax:
        return calls_of<softmax>(device, w);
    default:
        return calls_of<log_softmax>(device, w);
    }
}

}  // namespace fade::tools
