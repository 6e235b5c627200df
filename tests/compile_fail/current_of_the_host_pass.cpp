// expect: take Block::arch in a kernel, and device.with_arch(f) in host code
#include <fade/arch/current.hpp>

int lanes() { return fade::arch::current::traits.wave_size; }
