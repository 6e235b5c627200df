// Products on NVIDIA GPUs, of one part and type.
#include "../../instances/gpu_runner.hpp"
#include FADE_BENCH_PART

namespace fade::bench {
namespace {

template <class Task>
using runner_of = gpu_runner<cuda_device, cuda_device, Task>;
const add_part<runner_of, fade::FADE_BENCH_TYPE> added("cuda");

}  // namespace
}  // namespace fade::bench
