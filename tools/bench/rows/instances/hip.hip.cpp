// Row operators on AMD GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
template <class Out>
using runner_of = gpu_runner<hip_device, hip_target, rows_task<in, Out>>;
const add_runner<rows_runner> added(std::make_unique<runner_of<in>>("hip"));
const add_runner<rows_runner> places(std::make_unique<runner_of<i32>>("hip"));

}  // namespace
}  // namespace fade::bench
