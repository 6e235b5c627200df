// Convolutions on this CPU, for one type.
#include "../../instances/cpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<conv_runner>
    added(std::make_unique<cpu_runner<host_device, conv_task<in, output_t<in>>>>("host"));

}  // namespace
}  // namespace fade::bench
