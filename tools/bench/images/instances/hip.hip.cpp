// Operators over images on AMD GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using runner_of = gpu_runner<hip_device, hip_target, image_task<fade::FADE_BENCH_TYPE>>;
const add_runner<image_runner> added(std::make_unique<runner_of>("hip"));

}  // namespace
}  // namespace fade::bench
