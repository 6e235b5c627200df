// Row operators on this CPU, for one type.
#include "../../instances/cpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<rows_runner> added(std::make_unique<cpu_runner<host_device, rows_task<in, in>>>("host"));
const add_runner<rows_runner> places(std::make_unique<cpu_runner<host_device, rows_task<in, i32>>>("host"));

}  // namespace
}  // namespace fade::bench
