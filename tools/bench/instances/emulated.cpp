// One emulated architecture, for one type.
#include "cpu_runner.hpp"
#include "output_of.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
using device = emulated_device<arch::FADE_BENCH_ARCH>;
const add_gemm_runner added(std::make_unique<cpu_runner<device, in, output_t<in>>>(device().name()));

}  // namespace
}  // namespace fade::bench
