// expect: row operators read and write f32, f16 and bf16
#include <fade/rotary.hpp>

int main() {
    fade::host_device device;
    int x[4] = {};
    fade::rotary<int>(device, {.tokens = 1, .head_dim = 4}, {.x = x, .y = x});
}
