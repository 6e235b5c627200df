// expect: have two types only where both are 8-bit floats
#include <fade/gemm.hpp>

void call(fade::host_device& device) {
    fade::gemm<fade::operand_pair<fade::f16, fade::f8e5m2>, float>(device, {}, {});
}
