// Attention on this CPU, for one type.
#include "../../instances/cpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<attention_runner>
    added(std::make_unique<cpu_runner<host_device, attention_task<in, output_t<in>>>>("host"));

}  // namespace
}  // namespace fade::bench
