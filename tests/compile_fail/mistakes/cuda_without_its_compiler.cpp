// expect: fade::cuda_device needs a compiler for NVIDIA GPUs: nvcc -std=c++20
#include <fade/quantize.hpp>

void call() {
    fade::cuda_device gpu;
    fade::quantize<fade::f8e4m3, float>(gpu, {}, {});
}
