// expect: let the order of the weight_format be weight_order::rows
#include <fade/weight_gemm.hpp>

constexpr fade::weight_format format{.element = fade::weight_element::e2m1,
                                     .order = fade::weight_order::gptq};
void call(fade::host_device& device) { fade::weight_gemm<format, fade::f16>(device, {}, {}); }
