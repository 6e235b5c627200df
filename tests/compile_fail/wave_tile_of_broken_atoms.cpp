// expect: a wave tile is whole atoms
#include <fade/gemm.hpp>

using odd = fade::kernel::gemm_traits<fade::arch::gfx942, fade::f16,
                                      fade::gemm_policy{.block_tile = {96, 96, 32}, .wave_tile = {48, 48}}>;
static_assert(odd::shared_bytes > 0);
