// expect: this architecture multiplies no such type: convert the inputs to float, fade::f16 or fade::bf16
// names: sm_80
// names: signed char
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::sm_80>& device) { fade::gemm<fade::i8>(device, {}, {}); }
