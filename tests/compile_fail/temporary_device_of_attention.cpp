// expect: a temporary device would end before the work that is queued on it: give the device a name
#include <fade/attention.hpp>

void call() { fade::attention<float>(fade::emulated_device<fade::arch::gfx1030>(), {.seq_q = 8}, {}); }
