// Operators over images on this CPU, for one type.
#include "../../instances/cpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<image_runner> added(std::make_unique<cpu_runner<host_device, image_task<in>>>("host"));

}  // namespace
}  // namespace fade::bench
