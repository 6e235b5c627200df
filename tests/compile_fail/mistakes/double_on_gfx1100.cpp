// expect: of AMD GPUs only gfx90a, gfx942 and gfx950 multiply double: convert the inputs to float
// names: gfx1100
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx1100>& device) { fade::gemm<double>(device, {}, {}); }
