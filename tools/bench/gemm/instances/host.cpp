// This CPU, for one type of inputs and one of outputs.
#include "../../instances/cpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "chains.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
using out = instance_output<in>;
using chains = or_any_chain<std::conditional_t<std::is_integral_v<out>, integer_chains, all_chains>>;
const add_runner<gemm_runner>
    added(std::make_unique<cpu_runner<host_device, gemm_task<in, out, chains>>>("host"));

}  // namespace
}  // namespace fade::bench
