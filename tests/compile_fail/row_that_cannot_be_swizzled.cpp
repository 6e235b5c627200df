// expect: a power of two of 16-byte chunks
#include <fade/gemm.hpp>

using odd = fade::kernel::gemm_traits<fade::arch::gfx90a, fade::f16,
                                      fade::gemm_policy{.block_tile = {64, 64, 24}, .wave_tile = {32, 32}}>;
static_assert(odd::shared_bytes > 0);
