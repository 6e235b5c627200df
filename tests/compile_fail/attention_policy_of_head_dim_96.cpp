// expect: has a head_dim of 64, 128 or 256
#include <fade/attention.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::attention<fade::f16, fade::f16, fade::with_policy({.head_dim = 96})>(device, {}, {});
}
