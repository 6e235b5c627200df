// expect: quantize takes f32, f16 and bf16
#include <fade/quantize.hpp>

void call(fade::host_device& device) { fade::quantize<fade::f8e4m3, fade::f8e5m2>(device, {}, {}); }
