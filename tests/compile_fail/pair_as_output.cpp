// expect: an operand_pair names the types of A and B, and D has one
#include <fade/gemm.hpp>

void call(fade::host_device& device) {
    fade::gemm<float, fade::operand_pair<fade::f8e4m3, fade::f8e5m2>>(device, {}, {});
}
