// Row operators on an emulated gfx942.
#include "common/row_suite.hpp"

TEST_CASE("row operators on gfx942") {
    fade::emulated_device<fade::arch::gfx942> device;
    rows::check_all<fade::bf16, fade::bf16>(device);
}

TEST_CASE("gradients, losses and places on gfx942") {
    fade::emulated_device<fade::arch::gfx942> device;
    rows::check_all_of<fade::f16>(device);
}
