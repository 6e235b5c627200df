// Operators over images on NVIDIA GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using runner_of = gpu_runner<cuda_device, cuda_device, image_task<fade::FADE_BENCH_TYPE>>;
const add_runner<image_runner> added(std::make_unique<runner_of>("cuda"));

}  // namespace
}  // namespace fade::bench
