// expect: this architecture multiplies no such type: convert the inputs to float, fade::f16 or fade::bf16
// names: gfx1250
// names: signed char
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx1250>& device) { fade::gemm<fade::i8>(device, {}, {}); }
