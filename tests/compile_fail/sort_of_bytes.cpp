// expect: keys are whole numbers of 32 or 64 bits, f64, f32, f16 or bf16
#include <fade/primitives.hpp>

int main() {
    fade::host_device device;
    char x[4] = {}, y[4];
    fade::sort(device, {4}, x, y);
}
