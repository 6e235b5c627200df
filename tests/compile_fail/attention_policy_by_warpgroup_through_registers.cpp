// expect: let its copy be async or tma
#include <fade/attention.hpp>

using idle = fade::kernel::warpgroup_traits<
    fade::arch::sm_90a, fade::f16,
    fade::attention_policy{
        .wave_queries = 16, .head_dim = 64, .schedule = fade::attention_schedule::by_warpgroup, .stages = 2}>;
static_assert(idle::shared_bytes > 0);
