// expect: with more stages batches would be started behind the last
#include <fade/attention.hpp>

using block_type = fade::backend::emulated::block<fade::arch::sm_90a, 4>;
using traits =
    fade::kernel::warpgroup_traits<fade::arch::sm_90a, fade::f16,
                                   fade::attention_policy{.wave_queries = 16,
                                                          .head_dim = 64,
                                                          .schedule = fade::attention_schedule::by_warpgroup,
                                                          .copy = fade::attention_copy::tma,
                                                          .stages = 3}>;
static_assert(sizeof(fade::kernel::box_producer<block_type, traits,
                                                fade::kernel::tma_arguments<fade::f16, fade::f16>>) > 0);
