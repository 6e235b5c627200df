// Convolutions on AMD GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<conv_runner>
    added(std::make_unique<gpu_runner<hip_device, hip_target, conv_task<in, output_t<in>>>>("hip"));

}  // namespace
}  // namespace fade::bench
