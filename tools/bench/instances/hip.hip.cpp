// AMD GPUs, for one type and one epilogue.
#include "gpu_runner.hpp"
#include "output_of.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;

int count() {
    int n = 0;
    return hipGetDeviceCount(&n) == hipSuccess ? n : 0;
}

using runner = gpu_runner<hip_device, hip_target, in, output_t<in>, chain_list<FADE_BENCH_CHAIN>>;
const add_gpu_kind kind("hip", count);
const add_gemm_runner added(std::make_unique<runner>("hip"));

}  // namespace
}  // namespace fade::bench
