// expect: this architecture has no kernel of that schedule for the type
#include <fade/attention.hpp>

void call(fade::emulated_device<fade::arch::gfx1100>& device) {
    fade::attention<fade::f16, fade::f16,
                    fade::with_policy(
                        {.head_dim = 64, .schedule = fade::attention_schedule::software_pipelined})>(device,
                                                                                                     {}, {});
}
