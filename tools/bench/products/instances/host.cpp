// Products on this CPU, of one part and type.
#include "../../instances/cpu_runner.hpp"
#include FADE_BENCH_PART

namespace fade::bench {
namespace {

template <class Task>
using runner_of = cpu_runner<host_device, Task>;
const add_part<runner_of, fade::FADE_BENCH_TYPE> added("host");

}  // namespace
}  // namespace fade::bench
