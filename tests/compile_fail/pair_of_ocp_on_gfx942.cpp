// expect: gfx942 (MI300) has no OCP 8-bit floats
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::operand_pair<fade::f8e4m3, fade::f8e5m2>, float>(device, {}, {});
}
