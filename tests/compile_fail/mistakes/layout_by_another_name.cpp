// expect: the layouts of gemm are fade::gemm_layout::nn, nt, tn and tt, not fade::layout's
#include <fade/gemm.hpp>

void call(fade::host_device& device) { fade::gemm<float>(device, {.layout = fade::layout::nt}, {}); }
