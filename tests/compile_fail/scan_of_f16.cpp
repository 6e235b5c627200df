// expect: scans sum whole numbers of 32 or 64 bits, f64 or f32
#include <fade/primitives.hpp>

int main() {
    fade::host_device device;
    fade::f16 x[4] = {}, y[4];
    fade::inclusive_scan(device, {4, true}, x, y);
}
