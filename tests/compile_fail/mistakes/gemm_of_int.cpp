// expect: gemm multiplies no int: of integers it multiplies fade::i8 (std::int8_t), whose sums are int
// names: int
#include <fade/gemm.hpp>

void call(fade::host_device& device) { fade::gemm<int>(device, {}, {}); }
