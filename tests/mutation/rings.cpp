// Fails when a pipeline of tiles is wrong: rings through registers and past them, rows in pages, accumulators
// that are loaded.
#include <common/loader_kernels.hpp>
#include <common/ring_kernels.hpp>
#include <cstdio>

using namespace fade;

template <class Arch, bool Paged, tile::transport How>
bool wrong(std::mt19937& random) {
    emulated_device<Arch> device;
    for (int i = 0; i < 12; ++i)
        if (!(test::error_of_ring<f16, Paged, 3, How>(device, random) < 1e-3)) return true;
    return false;
}

int main() try {
    std::mt19937 random(5);
    emulated_device<arch::gfx942> walked;
    return test::wrong_walks(walked, random) || wrong<arch::gfx1100, false, tile::transport::async>(random) ||
           wrong<arch::gfx1100, true, tile::transport::async>(random) ||
           wrong<arch::sm_80, true, tile::transport::async>(random);
} catch (const error& e) {
    std::puts(e.what());
    return 1;
}
