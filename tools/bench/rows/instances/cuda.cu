// Row operators on NVIDIA GPUs, for one type.
#include "../../instances/gpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
template <class Out>
using runner_of = gpu_runner<cuda_device, cuda_device, rows_task<in, Out>>;
const add_runner<rows_runner> added(std::make_unique<runner_of<in>>("cuda"));
const add_runner<rows_runner> places(std::make_unique<runner_of<i32>>("cuda"));

}  // namespace
}  // namespace fade::bench
