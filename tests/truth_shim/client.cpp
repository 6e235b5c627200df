// An unchanged program of HIP 6: prints what it is told.
#include "truth_shim/layout.hpp"
#include <cstdio>

extern "C" int hipGetDevicePropertiesR0600(void*, int);
extern "C" int hipDeviceGetAttribute(int*, int, int);

int main() {
    using namespace fade::shim;
    alignas(16) char p[1472];
    int count = 0, warp = 0;
    if (hipGetDevicePropertiesR0600(p, 0) != 0 ||
        hipDeviceGetAttribute(&count, multiprocessor_count, 0) != 0 ||
        hipDeviceGetAttribute(&warp, warp_size, 0) != 0)
        return 1;
    std::printf("%d %d %d %d %d %d\n", get<int>(p, new_layout.multiprocessors), count,
                get<int>(p, new_layout.threads), get<int>(p, new_layout.l2),
                get<int>(p, new_layout.registers), warp);
    return hipGetDevicePropertiesR0600(p, 7) == 101 ? 0 : 1;
}
