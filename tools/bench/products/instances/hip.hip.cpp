// Products on AMD GPUs, of one part and type.
#include "../../instances/gpu_runner.hpp"
#include FADE_BENCH_PART

namespace fade::bench {
namespace {

template <class Task>
using runner_of = gpu_runner<hip_device, hip_target, Task>;
const add_part<runner_of, fade::FADE_BENCH_TYPE> added("hip");

}  // namespace
}  // namespace fade::bench
