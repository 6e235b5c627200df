#include "common/optimizer_trial.hpp"

namespace fade::test {

TEST_CASE("steps of optimizers, gfx942 f16") {
    emulated_device<arch::gfx942> gpu;
    optimizer_suite<f16, f16>(gpu, 40);
}
TEST_CASE("steps of optimizers, gfx1100 f32") {
    emulated_device<arch::gfx1100> gpu;
    optimizer_suite<f32, bf16>(gpu, 40);
}

}  // namespace fade::test
