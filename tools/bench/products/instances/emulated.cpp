// Products on one emulated architecture, of one part and type.
#include "../../instances/cpu_runner.hpp"
#include FADE_BENCH_PART

namespace fade::bench {
namespace {

using device = emulated_device<arch::FADE_BENCH_ARCH>;
template <class Task>
using runner_of = cpu_runner<device, Task>;
const add_part<runner_of, fade::FADE_BENCH_TYPE> added(device().name());

}  // namespace
}  // namespace fade::bench
