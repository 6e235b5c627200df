// expect: attention takes f32, f16, bf16 and the f8 types
#include <fade/attention.hpp>

void call(fade::host_device& device) { fade::attention<fade::i8, float>(device, {}, {}); }
