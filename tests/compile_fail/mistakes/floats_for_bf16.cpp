// expect: a float* was given where the call's elements are fade::f16 or fade::bf16: name float as the type of
// names: bf16
#include <fade/gemm.hpp>

void call(fade::host_device& device, const float* a) { fade::gemm<fade::bf16>(device, {}, {.a = a}); }
