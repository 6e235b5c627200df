// expect: scaled_gemm has no gates
#include <fade/scaled_gemm.hpp>

void call(fade::host_device& device) {
    fade::scaled_gemm<fade::f8e4m3, fade::f16>(device, {}, {}, fade::swiglu());
}
