// expect: scaled_gemm multiplies 8-bit floats
#include <fade/scaled_gemm.hpp>

void call(fade::host_device& device) { fade::scaled_gemm<fade::f16, fade::f16>(device, {}, {}); }
