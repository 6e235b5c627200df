// expect: do not fit the shared memory of a workgroup
#include <fade/gemm.hpp>

using wide =
    fade::kernel::gemm_traits<fade::arch::gfx942, fade::f16,
                              fade::gemm_policy{.block_tile = {256, 256, 64}, .wave_tile = {128, 64}}>;
static_assert(wide::shared_bytes > 0);
