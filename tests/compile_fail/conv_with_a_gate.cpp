// expect: a gate (swiglu, geglu and their kin) pairs the columns of a matrix product
#include <fade/conv.hpp>

void call(fade::host_device& device) { fade::conv_forward<float>(device, {}, {}, fade::swiglu()); }
