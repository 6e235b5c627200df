// Row operators on an emulated sm_90a.
#include "common/row_suite.hpp"

TEST_CASE("row operators on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    rows::check_all<fade::bf16, fade::bf16>(device);
}

TEST_CASE("gradients, losses and places on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    rows::check_all_of<fade::f16>(device);
}
