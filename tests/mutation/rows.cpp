// Fails when a row operator is wrong on an emulated GPU: every operator on random rows of every kind of
// kernel.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "common/row_suite.hpp"

TEST_CASE("row operators on gfx1100") {
    fade::emulated_device<fade::arch::gfx1100> device;
    rows::check_all<fade::bf16, fade::bf16>(device);
    rows::check_all_of<fade::f16>(device);
}
