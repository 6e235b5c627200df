// expect: of AMD GPUs only gfx950, gfx1200 and gfx1201 multiply f8e4m3 and f8e5m2
// names: gfx1100
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx1100>& device) {
    fade::gemm<fade::f8e5m2, float>(device, {}, {});
}
