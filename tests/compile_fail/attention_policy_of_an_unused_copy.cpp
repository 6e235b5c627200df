// expect: let its copy be registers
#include <fade/attention.hpp>

using unused = fade::kernel::attention_traits<fade::arch::gfx942, fade::f16,
                                              fade::attention_policy{.copy = fade::attention_copy::async}>;
static_assert(unused::shared_bytes > 0);
