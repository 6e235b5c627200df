// expect: weight_gemm multiplies A of fade::f16 or fade::bf16
#include <fade/weight_gemm.hpp>

void call(fade::host_device& device) { fade::weight_gemm<fade::weights::gptq(), float>(device, {}, {}); }
