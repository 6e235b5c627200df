// expect: of all products gemm alone takes operands of two types
#include <fade/batched_gemm.hpp>

void call(fade::host_device& device) {
    fade::batched_gemm<fade::operand_pair<fade::f8e4m3, fade::f8e5m2>, float>(device, {}, {});
}
