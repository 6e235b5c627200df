// expect: gfx942 (MI300) has no OCP 8-bit floats, and its FNUZ ones are other numbers: convert the inputs to
// names: gfx942
// names: float8<4, 3, 7, false>
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f8e4m3, float>(device, {}, {});
}
