// AMD GPUs, for one type and one way to read it.
#include "gpu_runner.hpp"
#include "output_of.hpp"

#define FADE_BENCH_TEXT(x) #x
#define FADE_BENCH_NAME(x) FADE_BENCH_TEXT(x)

namespace fade::bench {
namespace {

using in = fade::FADE_BENCH_TYPE;
constexpr std::string_view layout = FADE_BENCH_NAME(FADE_BENCH_LAYOUT);

/// `any` reads any strides, element by element.
constexpr gemm_kernels kernels() {
    for (gemm_layout l : {gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt})
        if (layout == name(l)) return only(gemm_reading(int(l)));
    return only(gemm_reading::strided);
}

int count() {
    int n = 0;
    return hipGetDeviceCount(&n) == hipSuccess ? n : 0;
}

using runner = gpu_runner<hip_device, hip_target, in, output_t<in>, kernels()>;
const add_gpu_kind kind("hip", count);
const add_gemm_runner added(std::make_unique<runner>("hip", std::string(layout)));

}  // namespace
}  // namespace fade::bench
