// expect: row_sums and column_sums add up a D of f32, f16 or bf16
#include <fade/gemm.hpp>

void call(fade::host_device& device, float* sums) {
    fade::gemm<fade::i8, fade::i32>(device, {}, {}, fade::row_sums(sums));
}
