// Row operators on an emulated gfx1100.
#include "common/row_suite.hpp"

TEST_CASE("row operators on gfx1100") {
    fade::emulated_device<fade::arch::gfx1100> device;
    rows::check_all<fade::bf16, fade::bf16>(device);
}

TEST_CASE("gradients, losses and places on gfx1100") {
    fade::emulated_device<fade::arch::gfx1100> device;
    rows::check_all_of<fade::f16>(device);
}
