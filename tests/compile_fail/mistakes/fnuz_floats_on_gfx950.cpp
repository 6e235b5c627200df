// expect: this architecture has no FNUZ 8-bit floats, and OCP's are other numbers: convert the inputs to
// names: gfx950
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx950>& device) {
    fade::gemm<fade::f8e4m3fnuz, float>(device, {}, {});
}
