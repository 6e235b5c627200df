// expect: one stage, or more by_warpgroup
#include <fade/attention.hpp>

using idle =
    fade::kernel::attention_traits<fade::arch::gfx950, fade::f16, fade::attention_policy{.stages = 2}>;
static_assert(idle::shared_bytes > 0);
