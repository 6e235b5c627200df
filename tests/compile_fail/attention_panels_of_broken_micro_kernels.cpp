// expect: on the host keys and head dimensions are whole panels
#include <fade/attention.hpp>

using odd =
    fade::kernel::attention_traits<fade::arch::host, float,
                                   fade::attention_policy{
                                       .waves = 1, .wave_queries = 384, .keys = 100, .head_dim = 256}>;
static_assert(odd::shared_bytes > 0);
