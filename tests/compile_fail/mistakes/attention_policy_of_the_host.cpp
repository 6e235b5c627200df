// expect: no attention_policy can be passed to a call on it
#include <fade/attention.hpp>

void call(fade::host_device& device) {
    fade::attention<float, float, fade::with_policy({.keys = 32, .head_dim = 64})>(device, {}, {});
}
