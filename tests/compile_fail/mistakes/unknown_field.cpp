// expect: transpose_b
#include <fade/gemm.hpp>

// C++ names an unknown field only where the struct is named.
void call(fade::host_device& device) {
    fade::gemm<float>(device, fade::gemm_problem{.m = 4, .transpose_b = true}, {});
}
