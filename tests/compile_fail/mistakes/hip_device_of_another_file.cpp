// expect: this compiler makes no code for that GPU: compile calls for AMD GPUs with clang++ -x hip
// names: hip_device
#include <fade/attention.hpp>

void call(fade::hip_device& gpu) { fade::attention<float>(gpu, {}, {}); }
