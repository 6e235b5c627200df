// expect: reading ahead alternates between two sets of registers
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {64, 64, 16},
                                  .wave_tile = {32, 32},
                                  .pipeline = fade::block::pipeline_kind::read_ahead})>(device, {}, {});
}
