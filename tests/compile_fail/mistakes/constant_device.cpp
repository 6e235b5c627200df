// expect: let the device not be const
#include <fade/gemm.hpp>

void call(const fade::host_device& device) { fade::gemm<float>(device, {.m = 8, .n = 8, .k = 8}, {}); }
