// expect: a power of two, at least 16
#include <fade/weight_gemm.hpp>

constexpr fade::weight_format format{.group = 96};
void call(fade::host_device& device) { fade::weight_gemm<format, fade::f16>(device, {}, {}); }
