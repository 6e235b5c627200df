// expect: fade::hip_device needs a compiler for AMD GPUs: clang++ -x hip --offload-arch=gfx942, or
#include <fade/gemm.hpp>

void call() {
    fade::hip_device gpu(0);
    fade::gemm<float>(gpu, {}, {});
}
