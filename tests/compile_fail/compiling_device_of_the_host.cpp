// expect: kernels of the host take any shares, so none is compiled for it
#include <fade/device/host_device.hpp>
#include <fade/device/tune/compiling.hpp>

void call(fade::tune::kernel_cache& kernels) { fade::compiling<fade::host_device> device(kernels, 2); }
