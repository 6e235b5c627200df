// expect: the depth of a block tile is a multiple of what the lanes of an atom load at once
#include <fade/gemm.hpp>

using traits = fade::kernel::gemm_traits<fade::arch::gfx1100, fade::f16,
                                         fade::gemm_policy{.block_tile = {64, 64, 8}, .wave_tile = {32, 32}}>;
using block = fade::backend::emulated::block<fade::arch::gfx1100, 4>;
void make(block& here) { traits::multiplier<block> product(here); }
