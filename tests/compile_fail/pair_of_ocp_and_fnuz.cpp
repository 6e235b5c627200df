// expect: no GPU multiplies OCP's 8-bit floats by FNUZ ones
#include <fade/gemm.hpp>

void call(fade::host_device& device) {
    fade::gemm<fade::operand_pair<fade::f8e4m3, fade::f8e5m2fnuz>, float>(device, {}, {});
}
