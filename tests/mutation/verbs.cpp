// Fails when a verb that kernels of one's own use is wrong: operands, accumulators, masks, reductions, edges.
#define main own_rms_norm_gemm
#include "../../examples/own_rms_norm_gemm.cpp"
#undef main
#include <common/tile_kernels.hpp>

template <class T, class Device>
int wrong_verbs() {
    Device device;
    std::mt19937 random(7);
    int failed = 0;
    for (int i = 0; i < 6; ++i) {
        const fade::test::tile_problem<T, 64, 32, 32> problem(random, i == 0);
        const double bound = fade::test::tile_bound<T>();
        failed += !(problem.template run<tile::storage::shared>(device) < bound);
        failed += !(problem.template run<tile::storage::registers>(device) < bound);
    }
    return failed + wrong(device);
}

int main() {
    return wrong_verbs<f16, fade::emulated_device<fade::arch::gfx90a>>() +
                   wrong_verbs<f16, fade::emulated_device<fade::arch::gfx1030>>() +
                   wrong_verbs<f16, fade::emulated_device<fade::arch::gfx1100>>()
               ? 1
               : 0;
}
