// One emulated architecture, for one type of inputs and one of outputs.
#include "../../instances/cpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
using device = emulated_device<arch::FADE_BENCH_ARCH>;
const add_runner<gemm_runner>
    added(std::make_unique<cpu_runner<device, gemm_task<in, instance_output<in>, any_chain_only>>>(
        device().name()));

}  // namespace
}  // namespace fade::bench
