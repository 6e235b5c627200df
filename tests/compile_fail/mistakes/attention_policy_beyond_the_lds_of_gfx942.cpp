// expect: the tiles of this attention_policy do not fit the shared memory of a workgroup
// names: gfx942
#include <fade/attention.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::attention<fade::f16, fade::f16, fade::with_policy({.keys = 256, .head_dim = 128})>(device, {}, {});
}
