// expect: the tiles of this attention policy do not fit the shared memory of a workgroup
#include <fade/attention.hpp>

using wide = fade::kernel::attention_traits<fade::arch::gfx942, float,
                                            fade::attention_policy{.keys = 128, .head_dim = 256}>;
static_assert(wide::shared_bytes > 0);
