// Convolutions on NVIDIA GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<conv_runner>
    added(std::make_unique<gpu_runner<cuda_device, cuda_device, conv_task<in, output_t<in>>>>("cuda"));

}  // namespace
}  // namespace fade::bench
