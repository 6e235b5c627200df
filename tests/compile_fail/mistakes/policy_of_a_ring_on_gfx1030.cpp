// expect: this architecture has no such pipeline
// names: gfx1030
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx1030>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {64, 64, 32},
                                  .wave_tile = {32, 32},
                                  .pipeline = fade::block::pipeline_kind::async_ring})>(device, {}, {});
}
