// expect: this architecture multiplies no such type
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx1100>& device) { fade::gemm<fade::i32>(device, {}, {}); }
