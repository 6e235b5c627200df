// Fails when a step of an optimizer is wrong on an emulated GPU.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "common/optimizer_trial.hpp"

TEST_CASE("steps of optimizers on gfx1100") {
    fade::emulated_device<fade::arch::gfx1100> gpu;
    fade::test::optimizer_suite<fade::f16, fade::f16>(gpu, 60);
}
