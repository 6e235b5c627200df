// expect: keys, head_dim and wave_queries of an attention policy are whole atoms
#include <fade/attention.hpp>

using odd =
    fade::kernel::attention_traits<fade::arch::gfx942, fade::f16, fade::attention_policy{.wave_queries = 48}>;
static_assert(odd::shared_bytes > 0);
