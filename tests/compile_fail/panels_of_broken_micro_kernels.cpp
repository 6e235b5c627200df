// expect: on the host a block is whole strips and panels
#include <fade/gemm.hpp>

using odd = fade::kernel::gemm_traits<fade::arch::host, float,
                                      fade::gemm_policy{.block_tile = {100, 128, 64},
                                                        .wave_tile = {100, 128},
                                                        .pipeline = fade::block::pipeline_kind::direct}>;
static_assert(odd::shared_bytes > 0);
