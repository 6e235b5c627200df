// AMD GPUs, for one type and one epilogue.
#include "../../instances/output_of.hpp"
#include "gpu_task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;

int count() {
    int n = 0;
    return hipGetDeviceCount(&n) == hipSuccess ? n : 0;
}

using runner_type = gemm_gpu_runner<hip_device, hip_target, in, output_t<in>, chain_list<FADE_BENCH_CHAIN>>;
const add_gpu_kind kind("hip", count);
const add_runner<gemm_runner> added(std::make_unique<runner_type>("hip"));

}  // namespace
}  // namespace fade::bench
