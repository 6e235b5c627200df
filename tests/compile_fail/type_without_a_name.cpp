// expect: this is no element type of FADE
#include <fade/gemm.hpp>

void call(fade::host_device& device) { fade::gemm<bool>(device, {}, {}); }
