// expect: both operands have one type
#include <fade/gemm.hpp>

void call(fade::host_device& device) {
    fade::gemm<fade::operand_pair<fade::f8e4m3, fade::f8e4m3>, float>(device, {}, {});
}
