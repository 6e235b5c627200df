// Products and convolutions on one thread of this CPU for bench/gemm_host.py and bench/conv_host.py, which
// load it as a shared library. Each answers 0, or 1 after it printed what was wrong.
#include <array>
#include <cstdio>
#include <exception>
#include <fade/conv.hpp>
#include <fade/gemm.hpp>

namespace {

using namespace fade;

host_device& this_cpu() {
    static host_device cpu(1);
    return cpu;
}

template <class F>
int answer(F f) {
    try {
        f();
        return 0;
    } catch (const std::exception& e) {
        std::puts(e.what());
        return 1;
    }
}

/// stage: -1 for none, else a fade::stage_kind.
template <class In, class Out>
void multiply(const long long* sizes, int layout, int stage, const void* a, const void* b, void* d,
              const void* bias) {
    any_chain<Out> chain;
    if (stage >= 0) chain.push(stage_kind(stage), static_cast<const Out*>(bias));
    gemm<In, Out>(this_cpu(), {.m = sizes[0], .n = sizes[1], .k = sizes[2], .layout = gemm_layout(layout)},
                  {.a = static_cast<const In*>(a), .b = static_cast<const In*>(b), .d = static_cast<Out*>(d)},
                  chain);
}

/// sizes: images, channels, filters, height and width, taps of a side, stride, padding.
conv_problem problem_of(const int* sizes) {
    const auto [images, channels, filters, side, taps, stride, pad] =
        std::array{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]};
    return {.batch = images,
            .channels = channels,
            .filters = filters,
            .input = {1, side, side},
            .filter = {1, taps, taps},
            .stride = {1, stride, stride},
            .pad = {.d = 0, .h = pad, .w = pad},
            .pad_end = {.d = 0, .h = pad, .w = pad}};
}

template <class T>
void convolve(int pass, const int* sizes, const void* a, const void* b, void* result) {
    const conv_problem p = problem_of(sizes);
    const auto *left = static_cast<const T*>(a), *right = static_cast<const T*>(b);
    auto* to = static_cast<T*>(result);
    const any_chain<T> chain;
    if (pass == 0)
        conv_forward<T>(this_cpu(), p, {.x = left, .w = right, .y = to}, chain);
    else if (pass == 1)
        conv_backward_data<T>(this_cpu(), p, {.dy = left, .w = right, .dx = to}, chain);
    else
        conv_backward_weights<T>(this_cpu(), p, {.x = left, .dy = right, .dw = to}, chain);
}

/// Forward, to f32, of numbers whose products stand for a 4096th.
void convolve_i8(const int* sizes, const void* x, const void* w, void* y) {
    conv_forward<i8, float>(
        this_cpu(), problem_of(sizes),
        {.x = static_cast<const i8*>(x), .w = static_cast<const i8*>(w), .y = static_cast<float*>(y)},
        scale(1.0f / 4096));
}

}  // namespace

/// type: 0 f32, 1 bf16, 2 i8 into i32.
extern "C" int host_gemm(int type, const long long* sizes, int layout, int stage, const void* a,
                         const void* b, void* d, const void* bias) {
    return answer([&] {
        if (type == 0) multiply<float, float>(sizes, layout, stage, a, b, d, bias);
        if (type == 1) multiply<bf16, bf16>(sizes, layout, stage, a, b, d, bias);
        if (type == 2) multiply<i8, i32>(sizes, layout, stage, a, b, d, bias);
    });
}

/// type: 0 f32, 1 bf16, 2 i8 into f32, forward alone; pass: 0 forward, 1 backward data, 2 backward weights.
extern "C" int host_conv(int type, int pass, const int* sizes, const void* a, const void* b, void* result) {
    return answer([&] {
        if (type == 0) convolve<float>(pass, sizes, a, b, result);
        if (type == 1) convolve<bf16>(pass, sizes, a, b, result);
        if (type == 2) convolve_i8(sizes, a, b, result);
    });
}
