// expect: the epilogue is no stage
#include <fade/gemm.hpp>

void call(fade::host_device& device) { fade::gemm<float>(device, {}, {}, 3); }
