// expect: quantize makes 8-bit floats
#include <fade/quantize.hpp>

void call(fade::host_device& device) { fade::quantize<fade::f16, float>(device, {}, {}); }
