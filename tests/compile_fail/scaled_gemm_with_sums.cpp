// expect: row_sums and column_sums stand behind a gemm
#include <fade/gemm.hpp>
#include <fade/scaled_gemm.hpp>

void call(fade::host_device& device, float* sums) {
    fade::scaled_gemm<fade::f8e4m3, fade::f16>(device, {}, {}, fade::relu() | fade::column_sums(sums));
}
