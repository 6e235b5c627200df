// expect: a block tile is whole wave tiles
#include <fade/gemm.hpp>

using odd = fade::kernel::gemm_traits<fade::arch::gfx1201, fade::bf16,
                                      fade::gemm_policy{.block_tile = {128, 128, 32}, .wave_tile = {64, 48}}>;
static_assert(odd::shared_bytes > 0);
