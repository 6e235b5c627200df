// expect: sort_pairs carries values of 4 or 8 bytes
#include <fade/primitives.hpp>

struct large {
    int words[4];
};

int main() {
    fade::host_device device;
    const int x[4] = {};
    const large v[4] = {};
    int y[4];
    large w[4];
    fade::sort_pairs(device, {4}, x, v, y, w);
}
