// expect: a temporary device would end before the work that is queued on it: give the device a name
#include <fade/gemm.hpp>

void call() { fade::gemm<float>(fade::host_device(), {.m = 8, .n = 8, .k = 8}, {}); }
