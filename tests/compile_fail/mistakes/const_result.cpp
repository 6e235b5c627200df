// expect: this operand is written, but its pointer is to const elements: give it memory that may be written
#include <fade/gemm.hpp>

void call(fade::host_device& device, const float* d) { fade::gemm<float>(device, {}, {.d = d}); }
