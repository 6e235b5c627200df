// Primitives of rocPRIM on AMD GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<primitive_runner>
    added(std::make_unique<gpu_runner<hip_device, hip_device, primitive_task<in>>>("hip"));

}  // namespace
}  // namespace fade::bench
