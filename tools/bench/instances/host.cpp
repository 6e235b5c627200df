// This CPU, for one type.
#include "cpu_runner.hpp"
#include "output_of.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
const add_gemm_runner added(std::make_unique<cpu_runner<host_device, in, output_t<in>>>("host"));

}  // namespace
}  // namespace fade::bench
