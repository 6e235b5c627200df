// expect: a wave tile is whole atoms: let wave_tile.m and .n of the gemm_policy be multiples
// refused for: gfx942 gfx1030
// taken for: gfx1100 gfx1201
#include <fade/gemm.hpp>

void call(fade::hip_device& device, const fade::gemm_operands<fade::f16>& operands) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {32, 32, 32}, .wave_tile = {16, 16}},
                                 fade::only(fade::operand_access::nt))>(device, {.m = 8, .n = 8, .k = 8},
                                                                        operands);
}
