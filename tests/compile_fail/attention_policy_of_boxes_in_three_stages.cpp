// expect: with more stages batches would be started behind the last
#include <fade/attention.hpp>

using block_type = fade::backend::emulated::block<fade::arch::sm_90a, 4>;
using traits = fade::kernel::group_traits<
    fade::arch::sm_90a, fade::f16,
    fade::attention_policy{
        .wave_queries = 16, .head_dim = 64, .by_group = true, .mapped = true, .stages = 3}>;
static_assert(
    sizeof(fade::kernel::box_feed<block_type, traits, fade::kernel::mapped_arguments<fade::f16, fade::f16>>) >
    0);
