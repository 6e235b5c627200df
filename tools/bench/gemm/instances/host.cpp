// This CPU, for one type of inputs and one of outputs.
#include "../../instances/cpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_runner<gemm_runner> added(std::make_unique<cpu_runner<host_device, gemm_task<in, instance_output<in>>>>("host"));

}  // namespace
}  // namespace fade::bench
