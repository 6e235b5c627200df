// expect: row operators read and write f32, f16 and bf16
#include <fade/softmax.hpp>

int main() {
    fade::host_device device;
    int x[4] = {}, y[4];
    fade::softmax(device, {.rows = 1, .columns = 4}, x, y);
}
