// expect: attention has averages for results
#include <fade/attention.hpp>

void call(fade::host_device& device) { fade::attention<float, fade::i8>(device, {}, {}); }
