// A CUDA source that uses the host, an emulated GPU and a GPU: nvcc compiles all of it twice, and is to say
// nothing.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <fade/attention.hpp>
#include <fade/batch_norm.hpp>
#include <fade/batched_gemm.hpp>
#include <fade/conv.hpp>
#include <fade/device.hpp>
#include <fade/gemm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/kv_cache.hpp>
#include <fade/moe.hpp>
#include <fade/norm.hpp>
#include <fade/optimizer.hpp>
#include <fade/pool.hpp>
#include <fade/primitives.hpp>
#include <fade/quantize.hpp>
#include <fade/reduce.hpp>
#include <fade/rotary.hpp>
#include <fade/scaled_gemm.hpp>
#include <fade/softmax.hpp>
#include <fade/weight_gemm.hpp>

void on_the_host(fade::host_device& device, const float* bias) {
    fade::gemm<float>(device, {}, {}, fade::bias(bias) | fade::gelu());
    fade::attention<float>(device, {}, {});
    fade::append_kv<float>(device, {}, {});
    fade::quantize<fade::f8e4m3, float>(device, {}, {});
    fade::rms_norm<float>(device, {}, {});
}

// Row operators of a CPU are compiled for several kinds of vectors, and are whole only where all of them is
// inlined.
void rows_on_the_host(fade::host_device& device, const fade::softmax_problem& p, const fade::bf16* x,
                      fade::bf16* y) {
    using fade::bf16, fade::f16;
    const auto* const halves = reinterpret_cast<const f16*>(x);
    int* const places = reinterpret_cast<int*>(y);
    const fade::index rows = p.rows, columns = p.columns;
    fade::sum<bf16, bf16>(device, {.rows = rows, .columns = columns}, x, y);
    fade::sum<bf16, bf16>(device, {.rows = rows, .columns = columns, .direction = fade::along::columns}, x,
                          y);
    fade::argmax<f16>(device, {.rows = rows, .columns = columns}, halves, places);
    fade::top_k<f16, bf16>(device, {.rows = rows, .columns = columns, .k = 4}, halves, y, places);
    fade::softmax<bf16, bf16>(device, p, x, y);
    fade::softmax_gradient<bf16, bf16>(device, {.rows = rows, .columns = columns}, x, x, y);
    fade::layer_norm<f16, bf16>(device, {.rows = rows, .columns = columns}, {.x = halves, .y = y});
}

void emulated(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<float, float, fade::only(fade::operand_access::nn)>(device, {}, {});
}

void on_a_gpu(fade::cuda_device& device) {
    fade::conv_forward<fade::f16>(device, {}, {});
    fade::conv_backward_weights<fade::f16>(device, {}, {});
    fade::softmax<float, float>(device, {}, nullptr, nullptr);
    fade::max<float, float>(device, {}, nullptr, nullptr);
    fade::gemm<float, float, fade::only(fade::operand_access::nn)>(device, {}, {});
    fade::gemm<float, float,
               fade::with_policy({.block_tile = {64, 64, 16}, .wave_tile = {16, 64}},
                                 fade::only(fade::operand_access::nn))>(device, {}, {});
    fade::gemm<float, float, fade::only(fade::operand_access::nn)>(
        device, {}, {}, fade::column_sums(static_cast<float*>(nullptr)));
    fade::append_kv<fade::bf16>(device, {}, {});
    fade::quantize<fade::f8e4m3, float>(device, {}, {});
    fade::grouped_gemm<float>(device, {}, {});
    fade::grouped_k_gemm<float>(device, {}, {});
    fade::batched_gemm<float, float, fade::only(fade::operand_access::nn)>(device, {}, {});
    fade::scaled_gemm<fade::f8e4m3, fade::bf16>(device, {}, {});
    fade::weight_gemm<fade::weights::gptq(), fade::f16>(device, {}, {});
    fade::grouped_weight_gemm<fade::weights::gptq(), fade::f16>(device, {}, {});
    fade::moe_dispatch(device, {}, {});
    fade::moe_combine<fade::bf16>(device, {}, {});
    fade::max_pool_gradient<fade::f16>(device, {}, {});
    fade::batch_norm<fade::f16>(device, {}, {});
    fade::grid_sample_gradient<fade::f16>(device, {}, {});
    fade::rotary<fade::bf16>(device, {}, {});
    fade::adamw_step<fade::f16>(device, {}, {});
    fade::sort<fade::bf16>(device, {}, nullptr, nullptr);
    fade::reduce<fade::bf16>(device, {}, nullptr, nullptr);
    fade::segmented_reduce<float>(device, {}, nullptr, nullptr, nullptr);
}

// CUDA's own halves are FADE's, as values and behind pointers.
__global__ void convert(__half* halves, __nv_bfloat16* others, float* values) {
    values[0] = fade::to_f32(halves[0]) + fade::to_f32(fade::to_bf16(others[0]));
    halves[1] = static_cast<__half>(fade::to_f16(values[0]));
    others[1] = static_cast<__nv_bfloat16>(fade::to_bf16(values[0]));
}
fade::gemm_operands<fade::f16, fade::bf16> operands(const __half* a, __nv_bfloat16* d) {
    return {.a = a, .b = a, .d = d};
}
