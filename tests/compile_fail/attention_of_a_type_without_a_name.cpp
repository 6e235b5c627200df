// expect: this is no element type of FADE
#include <fade/attention.hpp>

void call(fade::host_device& device) { fade::attention<bool>(device, {}, {}); }
