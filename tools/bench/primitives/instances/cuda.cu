// Primitives of CUB on NVIDIA GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<primitive_runner>
    added(std::make_unique<gpu_runner<cuda_device, cuda_device, primitive_task<in>>>("cuda"));

}  // namespace
}  // namespace fade::bench
