// Attention on one emulated architecture, for one type.
#include "../../instances/cpu_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
using device = emulated_device<arch::FADE_BENCH_ARCH>;
const add_runner<attention_runner>
    added(std::make_unique<cpu_runner<device, attention_task<in, output_t<in>>>>(device().name()));

}  // namespace
}  // namespace fade::bench
