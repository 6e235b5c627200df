// expect: causal is no yes or no: say fade::causal_kind::bottom_right (the last query sees the last key)
#include <fade/attention.hpp>

void call(fade::host_device& device) { fade::attention<float>(device, {.causal = true}, {}); }
