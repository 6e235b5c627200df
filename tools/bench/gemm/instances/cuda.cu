// NVIDIA GPUs, for one type.
#include "../../instances/output_of.hpp"
#include "gpu_task.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;

int count() {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

using runner_type = gemm_gpu_runner<cuda_device, cuda_device, in, output_t<in>, all_chains>;
const add_gpu_kind kind("cuda", count);
const add_runner<gemm_runner> added(std::make_unique<runner_type>("cuda"));

}  // namespace
}  // namespace fade::bench
