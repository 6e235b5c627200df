// NVIDIA GPUs, for one type.
#include "gpu_runner.hpp"
#include "output_of.hpp"

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;

int count() {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

using runner = gpu_runner<cuda_device, cuda_device, in, output_t<in>, all_chains>;
const add_gpu_kind kind("cuda", count);
const add_gemm_runner added(std::make_unique<runner>("cuda"));

}  // namespace
}  // namespace fade::bench
