// expect: gemm multiplies no int
#include <fade/conv.hpp>

void call(fade::host_device& device) { fade::conv_forward<int>(device, {}, {}); }
